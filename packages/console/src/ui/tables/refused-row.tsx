import { Table } from '@mantine/core'
import { ErrorPanel, errorOf } from '../error-panel.tsx'

type Props = { error: Error | null; columns: number }

/** Why what was asked of the record in the row above was refused, over the whole width of the table. */
export const RefusedRow = ({ error, columns }: Props) =>
  error && (
    <Table.Tr>
      <Table.Td colSpan={columns}>
        <ErrorPanel error={errorOf(error)} />
      </Table.Td>
    </Table.Tr>
  )
