import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Answer } from '../answer.tsx'
import { Section } from '../section.tsx'
import { DataTable } from './data-table.tsx'

type Props<Row> = {
  title: string
  of: UseQueryResult<readonly Row[], Error>
  /** The names of the columns; one without a name holds buttons. */
  head: readonly string[]
  minWidth?: number
  /** What makes one more. */
  aside?: ReactNode
  /** What stands there while there is none. */
  none: ReactNode
  children: (row: Row) => ReactNode
}

/** A section that is a table of records, with what makes one more beside its title. */
export function RecordTable<Row>({ title, of, head, minWidth = 560, aside, none, children }: Props<Row>): ReactNode {
  return (
    <Section title={title} aside={aside}>
      <Answer of={of}>
        {(rows) =>
          rows.length === 0 ? (
            none
          ) : (
            <DataTable label={title} head={head} minWidth={minWidth}>
              {rows.map(children)}
            </DataTable>
          )
        }
      </Answer>
    </Section>
  )
}
