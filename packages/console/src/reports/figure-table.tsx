import { Table, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { DataTable } from '../ui/tables/data-table.tsx'
import { FigureLink } from './figure-link.tsx'
import type { Figure } from './figures.ts'
import type { RecordFilters } from './filters.ts'
import { formatNumber } from './format.ts'

/** Number column with links to its records. */
export type Column<Row> = {
  head: string
  figure: Figure
  text: (row: Row) => string
  count: (row: Row) => number
}

type Props<Row> = {
  label: string
  rows: readonly Row[]
  columns: readonly Column<Row>[]
  /** First column: header, cell and unique key. */
  first: { head: string; cell: (row: Row) => ReactNode; key: (row: Row) => string }
  /** Returns the period and scope of a row's records. */
  recordsOf: (row: Row) => RecordFilters
}

/** Maximum number of rows shown. The CSV has all. */
const maxRows = 100

/** Shows the first rows of a report. */
export function FigureTable<Row>({ label, rows, columns, first, recordsOf }: Props<Row>): ReactNode {
  if (rows.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No data for this period.
      </Text>
    )
  }
  return (
    <>
      <DataTable label={label} head={[first.head, ...columns.map(({ head }) => head)]}>
        {rows.slice(0, maxRows).map((row) => (
          <Table.Tr key={first.key(row)}>
            <Table.Td>{first.cell(row)}</Table.Td>
            {columns.map(({ head, figure, text, count }) => (
              <Table.Td key={head}>
                <FigureLink figure={figure} count={count(row)} of={recordsOf(row)}>
                  {text(row)}
                </FigureLink>
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </DataTable>
      {rows.length > maxRows && (
        <Text size="sm" c="dimmed" mt="xs">
          First {maxRows} of {formatNumber(rows.length)}. Download the CSV for all.
        </Text>
      )}
    </>
  )
}
