import type { PipelineConfig } from '../pipeline-versions/config/schema.ts'
import type { Step } from './attempt.ts'
import { plainWith } from './context.ts'
import { isDispatched, isForRunners } from './machine.ts'
import { shownInput } from './secrets.ts'

/** Shared runner that has ended a step and may continue with the next one. */
export type Follower = {
  runnerId: string
  leaseUntil: Date
  /** Id of the organization's oldest step that waits for a shared runner, which has precedence. */
  oldestWaiting: string | undefined
}

type Situation = { before: readonly Step[]; steps: readonly Step[]; config: PipelineConfig; now: Date }

/**
 * Starts the attempt of the step that follows an ended one, if a lease request of the same runner would get exactly
 * that step. Excludes steps of stacks and execution environments. Has no side effects.
 */
export function startFollowing(
  { runnerId, leaseUntil, oldestWaiting }: Follower,
  { before, steps, config, now }: Situation,
): Step | undefined {
  const first = steps.find((step) => isDispatched(step) && isForRunners(step.stepType) && !before.includes(step))
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
