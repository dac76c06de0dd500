import type { Deployment, ModuleInstance } from '@sluice/contract'
import { eventsOf } from '@sluice/contract/stages'

/** Which of the first experiences with releases an organization has had. */
export type ReleaseProgress = {
  hasReleased: boolean
  hasPaused: boolean
  hasContinued: boolean
  hasFailed: boolean
  hasRolledBack: boolean
}

/** Returns the progress of an organization with these deployments. */
export function releaseProgress(deployments: readonly Deployment[]): ReleaseProgress {
  const steps = new Set(deployments.flatMap((one) => eventsOf(one).map(({ stepCode }) => stepCode)))
  const rollbacks = deployments.filter(({ triggerSource }) => triggerSource === 'ROLLBACK')
  return {
    hasReleased: deployments.length > rollbacks.length,
    hasPaused: steps.has('PAUSED'),
    hasContinued: steps.has('CONTINUED'),
    hasFailed: deployments.some(({ status }) => status === 'ERROR' || status === 'ROLLED_BACK'),
    hasRolledBack: rollbacks.some(({ status }) => status === 'SUCCESS'),
  }
}

/** Returns the service to release in the guide: the oldest canary, because it pauses before traffic moves. */
export const serviceToRelease = (instances: readonly ModuleInstance[]): ModuleInstance | undefined =>
  instances.findLast(({ input }) => strategyIn(input) === 'canary') ?? instances.at(-1)

/** Returns the strategy that a module takes as input by its usual name: as a name, or as an object with a type. */
function strategyIn(input: ModuleInstance['input']): unknown {
  const { strategy } = Object(input)
  return typeof strategy === 'string' ? strategy : Object(strategy).type
}
