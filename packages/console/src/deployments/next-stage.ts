import type { PauseForecast } from '@sluice/contract'
import { stageName } from '@sluice/contract/stages'

/** Describes the next stage after a pause, such as `25 % → 50 %`; undefined if it is unknown. */
export function describeNextStage({ nextStepCode, fromPercent, toPercent }: PauseForecast): string | undefined {
  if (fromPercent !== undefined && toPercent !== undefined) return `${fromPercent} % → ${toPercent} %`
  if (nextStepCode === 'PAUSED') return 'next pause'
  return nextStepCode && stageName(nextStepCode).toLowerCase()
}
