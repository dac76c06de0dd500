import type { Hook } from '../progress.ts'
import type { LambdaStanding } from './standing.ts'
import { labelAt } from './track.ts'

/** What is agreed to by whoever continues this pause. */
export const labelOfHook = ({ progress }: LambdaStanding, { lifecycleStage }: Hook) =>
  labelAt(lifecycleStage, progress.shifts)
