import type { PauseOutlook } from '@sluice/contract'
import { stageName } from '@sluice/contract/stages'

/** What follows a pause that goes on, in the fewest words: `25 % → 50 %`; undefined where nobody can tell. */
export function nextWords({ nextStepCode, fromPercent, toPercent }: PauseOutlook): string | undefined {
  if (fromPercent !== undefined && toPercent !== undefined) return `${fromPercent} % → ${toPercent} %`
  if (nextStepCode === 'PAUSED') return 'next pause'
  return nextStepCode && stageName(nextStepCode).toLowerCase()
}
