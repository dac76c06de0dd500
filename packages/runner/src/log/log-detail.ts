import type { ErrorDetail } from '@sluice/contract'
import type { Attempt } from '../attempt.ts'

/** Maximum characters of a log line in an error. */
const maxShownCharacters = 2_000

/** Creates the section of a failed program's error with its last log lines. */
export const createLogDetail = ({ lastLogLines }: Pick<Attempt, 'lastLogLines'>): ErrorDetail => ({
  title: 'Last log lines',
  render: 'list',
  items: lastLogLines().map((line) => line.slice(0, maxShownCharacters)),
})
