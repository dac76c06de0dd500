import { goOn, type PollPace, wait } from '../standing.ts'
import { backOff } from '../work.ts'
import type { Ec2Progress, Ec2Step } from './progress.ts'
import type { Ec2Standing } from './standing.ts'

/** Goes on with a step at once. */
export function goTo(standing: Ec2Standing, step: Ec2Step, now: Date, more: Partial<Ec2Progress> = {}): Ec2Standing {
  const { attemptedAt: _, waitingSince: __, ...kept } = standing.progress
  const progress = { ...kept, ...more, step, attempt: 0, troubles: 0, quiet: 0 }
  return goOn({ ...standing, progress }, now, `the step ${step}`)
}

/** Looks again later, and later each time that nothing has changed. */
export function again(
  standing: Ec2Standing,
  pace: PollPace,
  now: Date,
  waitingFor: string,
  { isNew = false, mostMs = pace.maxMs } = {},
): Ec2Standing {
  const quiet = isNew ? 0 : standing.progress.quiet + 1
  const waiting = { ...standing, progress: { ...standing.progress, quiet, troubles: 0 } }
  return wait(waiting, now, Math.min(mostMs, backOff(pace.minMs, pace.maxMs, quiet + 1)), waitingFor)
}
