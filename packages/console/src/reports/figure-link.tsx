import { TextLink } from '../ui/text-link.tsx'
import type { Figure } from './figures.ts'
import type { RecordFilters } from './filters.ts'
import { noValue } from './format.ts'

type Props = {
  figure: Figure
  /** Number of records behind the figure. */
  count: number
  /** Period and scope of the records. */
  of: RecordFilters
  children: string
}

/** Links a number of a report to its records; plain text without records. */
export const FigureLink = ({ figure, count, of, children }: Props) =>
  count === 0 || children === noValue ? (
    children
  ) : (
    <TextLink to="/console/reports/records" search={{ ...of, figure }} inherit>
      {children}
    </TextLink>
  )
