import type { PipelineConfig } from '../pipeline-versions/config/schema.ts'
import type { Step } from './attempt.ts'
import { plainWith } from './context.ts'
import { isForRunners, isHandedOver } from './machine.ts'
import { shownInput } from './secrets.ts'

/** A shared runner that has ended a step and may go on with the one after it. */
export type Follower = {
  runnerId: string
  leaseUntil: Date
  /** The oldest step of the organization that waits for a shared runner: it is its turn before that of younger ones. */
  oldestWaiting: string | undefined
}

type Situation = { before: readonly Step[]; steps: readonly Step[]; config: PipelineConfig; now: Date }

/**
 * Begins the attempt of the step that goes on with the end of another, if a claim of the same runner would get that
 * very step now. What works on a stack, or is a pool's, is left to claims. Pure.
 */
export function begunFor(
  { runnerId, leaseUntil, oldestWaiting }: Follower,
  { before, steps, config, now }: Situation,
): Step | undefined {
  const first = steps.find((step) => isHandedOver(step) && isForRunners(step.stepType) && !before.includes(step))
  if (!first || first.executionEnvironmentId !== null || first.stackId !== null) return undefined
  if (oldestWaiting !== undefined && oldestWaiting < first.id) return undefined
  const own = config.steps.find(({ id }) => id === first.stepId)
  const plain = own && plainWith(own)
  return {
    ...first,
    ...(plain && { inputData: shownInput(plain) }),
    status: 'IN_PROGRESS',
    attemptEpoch: first.attemptEpoch + 1,
    runnerId,
    leaseUntil,
    startedAt: now,
    queueMetadata: {},
  }
}
