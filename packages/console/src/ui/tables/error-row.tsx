import { Table } from '@mantine/core'
import { ErrorPanel, errorOf } from '../error-panel.tsx'

type Props = { error: Error | null; columns: number }

/** Table row for an error of the row above, over all columns. */
export const ErrorRow = ({ error, columns }: Props) =>
  error && (
    <Table.Tr>
      <Table.Td colSpan={columns}>
        <ErrorPanel error={errorOf(error)} />
      </Table.Td>
    </Table.Tr>
  )
