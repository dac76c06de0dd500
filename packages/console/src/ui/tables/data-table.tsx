import { ScrollArea, Table } from '@mantine/core'
import type { ReactNode } from 'react'

type Props = { label: string; head: readonly string[]; minWidth?: number; children: ReactNode }

/** Table that scrolls horizontally on narrow pages. Columns without a header hold buttons. */
export const DataTable = ({ label, head, minWidth = 560, children }: Props) => (
  <ScrollArea>
    <Table aria-label={label} miw={minWidth} verticalSpacing="xs">
      <Table.Thead>
        <Table.Tr>
          {head.map((name) => (name === '' ? <Table.Td key={name} /> : <Table.Th key={name}>{name}</Table.Th>))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>{children}</Table.Tbody>
    </Table>
  </ScrollArea>
)
