import { pendingPause } from '../values/states.ts'
import type { Deployment, DeploymentData, DeploymentType } from './deployment.ts'
import type { DeploymentEvent, DeploymentStepCode, DeploymentStrategy } from './deployment-progress.ts'

// Imports types only, like `states.ts`.

type Code = DeploymentStepCode

/** Returns the progress events of a deployment, oldest first. */
export const eventsOf = ({ data }: Deployment): readonly DeploymentEvent[] => data?.events ?? []

export type Stage = {
  /** Undefined if the code of a future step is not known yet. */
  code: Code | undefined
  /** Numbers of the first and last step. Production traffic can shift several times but is one stage here. */
  first: number
  last: number
  state: 'done' | 'current' | 'paused' | 'failed' | 'to come'
}

/** Returns all stages of a deployment: first those reached, from its events, then the remaining ones of its type. */
export function stagesOf(deployment: Deployment): Stage[] {
  const current = currentStep(deployment)
  const stages: Omit<Stage, 'state'>[] = []
  for (const [index, code] of stepsOf(deployment).entries()) {
    const before = stages.at(-1)
    if (before && code !== undefined && before.code === code) before.last = index + 1
    else stages.push({ code, first: index + 1, last: index + 1 })
  }
  return stages.map((stage) => ({ ...stage, state: stateOf(deployment, stage, current) }))
}

/**
 * Returns the number of the current step. Pauses and similar events happen during a step and are not steps themselves.
 */
export const currentStep = (deployment: Deployment): number =>
  Math.max(1, ...eventsOf(deployment).map(({ currentStep }) => currentStep))

function stateOf(deployment: Deployment, { first, last }: Omit<Stage, 'state'>, current: number): Stage['state'] {
  if (deployment.status === 'SUCCESS' || last < current) return 'done'
  if (first > current) return 'to come'
  if (pendingPause(deployment)) return 'paused'
  return deployment.status === 'IN_PROGRESS' || deployment.status === 'PENDING' ? 'current' : 'failed'
}

/** Codes of events that happen during a step and are not steps themselves. */
export const eventsWithoutStep: readonly Code[] = [
  'QUEUED',
  'PAUSED',
  'CONTINUED',
  'ANALYSIS',
  'WARNING',
  'FAILED',
  'CANCELLED',
  'ROLLBACK_STARTED',
  'ROLLED_BACK',
]

function stepsOf(deployment: Deployment): (Code | undefined)[] {
  const events = eventsOf(deployment)
  const steps = usualSteps(deployment, events.at(-1)?.totalSteps)
  for (const { currentStep, stepCode } of events) {
    if (!eventsWithoutStep.includes(stepCode)) steps[currentStep - 1] = stepCode
  }
  return steps
}

/** First steps of a release of each type, and the steps after the last traffic shift. */
const usualStepCodes = {
  'cloud:ecs': { begin: ['INIT', 'REGISTER_RELEASE', 'UPDATE_SERVICE', 'SCALE_UP'], after: ['BAKE', 'CLEAN_UP'] },
  'cloud:lambda': { begin: ['INIT', 'UPDATE_CODE', 'PUBLISH_VERSION'], after: [] },
  'cloud:ec2': { begin: ['INIT', 'UPDATE_INSTANCES', 'PUBLISH_RELEASE'], after: [] },
  'cloud:static': { begin: ['INIT', 'PROMOTE'], after: [] },
} as const satisfies Record<DeploymentType, { begin: readonly Code[]; after: readonly Code[] }>

/** Optional steps of a site after promotion: both, or only the first. */
const stepsAfterPromotion: readonly Code[] = ['INVALIDATE', 'CLEAN_UP']

/** Number of traffic shifts per strategy. Test traffic adds one step before them. */
const trafficShiftCounts: Partial<Record<DeploymentStrategy, number>> = { blue_green: 1, canary: 2 }

function usualSteps({ deploymentType, data }: Deployment, total = 0): (Code | undefined)[] {
  const { begin, after } = usualStepCodes[deploymentType]
  const strategy = data?.strategy ?? 'rolling'
  const end: Code[] = strategy === 'rolling' ? ['COMPLETED'] : [...after, 'COMPLETED']
  const count = Math.max(0, total - begin.length - end.length)
  const between = Array.from({ length: count }, (_, index): Code | undefined => {
    if (deploymentType === 'cloud:static') return stepsAfterPromotion[index]
    if (strategy === 'rolling') return undefined
    return index === 0 && count > (trafficShiftCounts[strategy] ?? count)
      ? 'TEST_TRAFFIC_SHIFT'
      : 'PRODUCTION_TRAFFIC_SHIFT'
  })
  return [...begin, ...between, ...end]
}

const stageNames: Record<DeploymentStepCode, string> = {
  QUEUED: 'Queued',
  INIT: 'Begin',
  PRE_DEPLOY: 'Before',
  REGISTER_RELEASE: 'Register',
  UPDATE_CODE: 'Update code',
  PUBLISH_VERSION: 'Publish version',
  UPDATE_SERVICE: 'Update service',
  PROMOTE: 'Promote',
  INVALIDATE: 'Empty caches',
  UPDATE_INSTANCES: 'Update instances',
  PUBLISH_RELEASE: 'Publish release',
  SCALE_UP: 'Scale up',
  TEST_TRAFFIC_SHIFT: 'Test traffic',
  PRODUCTION_TRAFFIC_SHIFT: 'Production traffic',
  BAKE: 'Bake',
  ANALYSIS: 'Analysis',
  WARNING: 'Warning',
  CLEAN_UP: 'Clean up',
  POST_DEPLOY: 'After',
  COMPLETED: 'Completed',
  PAUSED: 'Paused',
  CONTINUED: 'Continued',
  FAILED: 'Failed',
  CANCELLED: 'Cancelled',
  ROLLBACK_STARTED: 'Rollback started',
  ROLLED_BACK: 'Rolled back',
}

/** Returns the percentage of production traffic of the new version, if the deployment has observed it. */
export function newPercentOf(data: DeploymentData | undefined): number | undefined {
  if (data?.type === 'cloud:ecs')
    return data.serviceDeploymentState?.targetServiceRevision?.requestedProductionTrafficWeight
  if (data?.type !== 'cloud:lambda' || data.aliasState === undefined || data.version === undefined) return undefined
  const { version, additionalVersion, additionalWeight = 0 } = data.aliasState
  if (version === data.version) return Math.round(100 * (1 - additionalWeight))
  return additionalVersion === data.version ? Math.round(100 * additionalWeight) : 0
}

/** Returns the display name of a step. */
export const stageName = (code: DeploymentStepCode): string => stageNames[code]
