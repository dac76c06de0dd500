import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { QueryResult } from '../query-result.tsx'
import { Section } from '../section.tsx'
import { DataTable } from './data-table.tsx'

type Props<Row> = {
  title: string
  of: UseQueryResult<readonly Row[], Error>
  /** Column headers; empty for columns with buttons. */
  head: readonly string[]
  minWidth?: number
  /** Button that creates a record. */
  aside?: ReactNode
  /** Empty state. */
  none: ReactNode
  children: (row: Row) => ReactNode
}

/** Section with a table of records and a button to create one. */
export function RecordTable<Row>({ title, of, head, minWidth = 560, aside, none, children }: Props<Row>): ReactNode {
  return (
    <Section title={title} aside={aside}>
      <QueryResult of={of}>
        {(rows) =>
          rows.length === 0 ? (
            none
          ) : (
            <DataTable label={title} head={head} minWidth={minWidth}>
              {rows.map(children)}
            </DataTable>
          )
        }
      </QueryResult>
    </Section>
  )
}
