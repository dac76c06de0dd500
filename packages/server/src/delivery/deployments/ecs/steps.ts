import { goOn } from '../standing.ts'
import type { EcsProgress } from './progress.ts'
import type { EcsStanding } from './standing.ts'

/** Goes on with the next step at once. */
export function goTo(
  standing: EcsStanding,
  step: EcsProgress['step'],
  now: Date,
  more: Partial<EcsProgress> = {},
): EcsStanding {
  const progress = { ...standing.progress, ...more, step, attempt: 0, troubles: 0, quiet: 0 }
  return goOn({ ...standing, progress }, now, `the step ${step}`)
}
