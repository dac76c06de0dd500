import { TextLink } from '../ui/text-link.tsx'
import type { Figure } from './figures.ts'
import type { Records } from './filters.ts'
import { nothing } from './in-words.ts'

type Props = {
  figure: Figure
  /** How many records there are. */
  count: number
  /** The time and the place that it is of. */
  of: Records
  children: string
}

/** A number of a report that leads to its records; where nothing was counted or measured, there is none to look at. */
export const FigureLink = ({ figure, count, of, children }: Props) =>
  count === 0 || children === nothing ? (
    children
  ) : (
    <TextLink to="/console/reports/records" search={{ ...of, figure }} inherit>
      {children}
    </TextLink>
  )
