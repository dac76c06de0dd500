import type { Measurement } from '@sluice/server/delivery/deployments/analysis/machine'
import type { Measure } from '@sluice/server/delivery/deployments/analysis/measure'
import { periodsToRead } from '@sluice/server/delivery/deployments/analysis/periods'
import type { Check } from '@sluice/server/delivery/deployments/analysis/spec'

/**
 * Returns a function that measures checks of an analysis without metrics or a network: they fail while users see
 * errors, since `errorsSince`, and succeed otherwise. A metric shows errors once a whole period has them.
 */
export const measureErrors =
  (errorsSince: () => Date | undefined): Measure =>
  async ({ checks }, { since, now }) =>
    checks.map((check) => measurementOf(check, { since, now, errorsSince: errorsSince() }))

/** Measures nothing: every check is inconclusive, so that a pause is left to a user. */
export const measureNothing: Measure = async ({ checks }) =>
  checks.map(({ name }) => ({ check: name, outcome: 'INCONCLUSIVE', message: 'no result' }))

type Moment = { since: Date; now: Date; errorsSince: Date | undefined }

function measurementOf(check: Check, { since, now, errorsSince }: Moment): Measurement {
  const { name } = check
  const metricPeriods = 'metric' in check ? periodsToRead(check, since, now) : undefined
  if (metricPeriods && !metricPeriods.periods)
    return { check: name, outcome: 'AWAITED', message: 'no whole period yet' }
  const seenUntil = metricPeriods?.periods?.end ?? now
  const periodMs = 'metric' in check ? check.metric.periodSeconds * 1_000 : 0
  return errorsSince !== undefined && errorsSince.getTime() + periodMs <= seenUntil.getTime()
    ? { check: name, outcome: 'FAILED', message: 'users see errors' }
    : { check: name, outcome: 'SUCCESSFUL', message: 'users see no errors' }
}
