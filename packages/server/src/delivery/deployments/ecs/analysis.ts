import { act, type Reactions } from '../analysis/act.ts'
import type { Measurement } from '../analysis/machine.ts'
import { note } from './events.ts'
import { labelOfHook } from './label.ts'
import { rollBack } from './machine.ts'
import type { EcsStanding } from './standing.ts'

const reactions: Reactions<EcsStanding> = {
  note,
  labelOf: labelOfHook,
  rollBack: (standing, message, now) => rollBack(standing, 'analysis', message, now),
}

/** Acts on the measurements. */
export const analysed = (standing: EcsStanding, measurements: readonly Measurement[], now: Date): EcsStanding =>
  act(standing, measurements, now, reactions)
