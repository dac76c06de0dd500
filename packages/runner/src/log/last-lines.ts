import type { ErrorDetail } from '@sluice/contract'
import type { Attempt } from '../attempt.ts'

/** What an error shows of a line of the log. Characters. */
const shownOfLine = 2_000

/** The end of the log, for the error of a program that failed. */
export const endOfLog = ({ lastLines }: Pick<Attempt, 'lastLines'>): ErrorDetail => ({
  title: 'The end of its log',
  render: 'list',
  items: lastLines().map((line) => line.slice(0, shownOfLine)),
})
