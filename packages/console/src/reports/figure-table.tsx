import { Table, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { DataTable } from '../ui/tables/data-table.tsx'
import { FigureLink } from './figure-link.tsx'
import type { Figure } from './figures.ts'
import type { Records } from './filters.ts'
import { numberInWords } from './in-words.ts'

/** A column of numbers, each with the records behind it. */
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
  /** What a row is of: the head of the first column, what stands there, and what tells it from the others. */
  first: { head: string; cell: (row: Row) => ReactNode; key: (row: Row) => string }
  /** The time and place whose records a row counts. */
  recordsOf: (row: Row) => Records
}

/** So many rows are drawn; whoever needs more takes the file. */
const mostRows = 100

/** The rows of a report, the first of them. */
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
        {rows.slice(0, mostRows).map((row) => (
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
      {rows.length > mostRows && (
        <Text size="sm" c="dimmed" mt="xs">
          First {mostRows} of {numberInWords(rows.length)}. Download the CSV for all.
        </Text>
      )}
    </>
  )
}
