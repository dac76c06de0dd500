import type { DeploymentStepCode, PauseLabel } from '@sluice/contract'
import type { ServiceDeploymentSnapshot } from '../../../../cloud/facts/ecs.ts'
import { createEventRecorder } from '../../execution/events.ts'
import type { Hook } from '../../execution/progress.ts'
import type { AfterPause } from '../deployment-type.ts'
import type { EcsProgress } from './progress.ts'
import type { EcsRelease } from './release.ts'
import type { EcsState } from './state.ts'

/** Steps by the cloud's lifecycle stage, except for the stages before and during a production shift. */
const stepOfStage: Record<string, DeploymentStepCode> = {
  RECONCILE_SERVICE: 'SCALE_UP',
  PRE_SCALE_UP: 'SCALE_UP',
  SCALE_UP: 'SCALE_UP',
  POST_SCALE_UP: 'SCALE_UP',
  TEST_TRAFFIC_SHIFT: 'TEST_TRAFFIC_SHIFT',
  POST_TEST_TRAFFIC_SHIFT: 'TEST_TRAFFIC_SHIFT',
  POST_PRODUCTION_TRAFFIC_SHIFT: 'PRODUCTION_TRAFFIC_SHIFT',
  BAKE_TIME: 'BAKE',
  CLEAN_UP: 'CLEAN_UP',
}

/** Returns what a user approves by continuing a pause at this stage. */
function labelOf(stage: string | undefined, productionWeight: number): PauseLabel {
  if (stage === 'POST_TEST_TRAFFIC_SHIFT') return 'approve_test_traffic'
  if (stage === 'PRE_PRODUCTION_TRAFFIC_SHIFT') return productionWeight > 0 ? 'continue' : 'shift_traffic'
  if (stage === 'POST_PRODUCTION_TRAFFIC_SHIFT') return 'finish'
  return 'continue'
}

/** Returns what a user approves by continuing this pause. */
export function hookLabel({ data }: EcsState, { lifecycleStage }: Hook): PauseLabel {
  const weight = data.serviceDeploymentState?.targetServiceRevision?.requestedProductionTrafficWeight ?? 0
  return labelOf(lifecycleStage, weight)
}

/** Returns the step that begins when this pause is continued. */
export function afterPause({ release, data }: EcsState, { lifecycleStage }: Hook): AfterPause {
  const { strategy } = release
  if (strategy.type === 'rolling') return {}
  const pausesAt = (...stages: string[]) => strategy.pauseStages.some(({ stage }) => stages.includes(stage))
  const fromPercent = data.serviceDeploymentState?.targetServiceRevision?.requestedProductionTrafficWeight ?? 0
  const shift = {
    nextStepCode: 'PRODUCTION_TRAFFIC_SHIFT',
    fromPercent,
    toPercent: nextShare(strategy, fromPercent),
  } as const
  const pause = { nextStepCode: 'PAUSED' } as const
  switch (lifecycleStage) {
    case 'PRE_SCALE_UP':
      return { nextStepCode: 'SCALE_UP' }
    case 'POST_SCALE_UP':
      if (hasTestStage(release)) return { nextStepCode: 'TEST_TRAFFIC_SHIFT' }
      return pausesAt('POST_TEST_TRAFFIC_SHIFT', 'PRE_PRODUCTION_TRAFFIC_SHIFT') ? pause : shift
    case 'POST_TEST_TRAFFIC_SHIFT':
      return pausesAt('PRE_PRODUCTION_TRAFFIC_SHIFT') ? pause : shift
    case 'PRE_PRODUCTION_TRAFFIC_SHIFT':
      return shift
    case 'POST_PRODUCTION_TRAFFIC_SHIFT':
      return { nextStepCode: strategy.bakeTimeInMinutes > 0 ? 'BAKE' : 'CLEAN_UP' }
    default:
      return {}
  }
}

/** Returns the share of production traffic, in percent, that the new version gets by the next shift. */
function nextShare(
  { type, linear, canary }: Exclude<EcsRelease['strategy'], { type: 'rolling' }>,
  share: number,
): number {
  if (type === 'linear') return Math.min(100, share + (linear?.stepPercent ?? 10))
  return type === 'canary' && share === 0 ? (canary?.canaryPercent ?? 100) : 100
}

/** Returns the number of production traffic shifts: equal steps for linear (30 % → 30, 60, 90, 100), two for canary. */
export function shiftCount({ strategy }: EcsRelease): number {
  if (strategy.type === 'linear') return Math.ceil(100 / (strategy.linear?.stepPercent ?? 10))
  return strategy.type === 'canary' ? 2 : 1
}

/**
 * Reports whether the track has a test stage. If the block leaves load balancers to the service, the service may have
 * test traffic, such as through its mesh.
 */
const hasTestStage = ({ trafficShift }: EcsRelease): boolean =>
  trafficShift === undefined || trafficShift.testListenerRuleArn !== undefined

/** Part of the progress that affects the steps. */
type KnownOfService = Pick<EcsProgress, 'watchesServiceAlarms'>

/**
 * Reports whether the track of a rolling release has a bake, because the cloud watches alarms of the block, or of the
 * service if the block names none.
 */
const watchesAlarms = ({ alarms }: EcsRelease, { watchesServiceAlarms = false }: KnownOfService): boolean =>
  alarms === undefined ? watchesServiceAlarms : alarms.length > 0

/**
 * Reports whether a rolling release only waits for alarms, of the block or of the service. The cloud reports no stage
 * for a rolling deployment, but only the numbers of tasks of the new and the previous revision.
 */
export function isBaking({ strategy }: EcsRelease, { state, alarms }: ServiceDeploymentSnapshot): boolean {
  if (strategy.type !== 'rolling' || state.status !== 'IN_PROGRESS' || alarms?.status !== 'MONITORING') return false
  const { targetServiceRevision, sourceServiceRevisions = [] } = state
  if (!targetServiceRevision?.requestedTaskCount) return false
  const { requestedTaskCount, runningTaskCount, pendingTaskCount } = targetServiceRevision
  const hasReplaced = runningTaskCount === requestedTaskCount && pendingTaskCount === 0
  return hasReplaced && sourceServiceRevisions.every((one) => one.runningTaskCount === 0 && one.pendingTaskCount === 0)
}

/** Returns the steps of a release from first to last, with every production traffic shift. */
export function trackOf(release: EcsRelease, known: KnownOfService = {}): DeploymentStepCode[] {
  const before: DeploymentStepCode[] = release.preDeploy ? ['PRE_DEPLOY'] : []
  const start: DeploymentStepCode[] = ['INIT', 'REGISTER_RELEASE', ...before, 'UPDATE_SERVICE', 'SCALE_UP']
  const end: DeploymentStepCode[] = release.postDeploy ? ['POST_DEPLOY', 'COMPLETED'] : ['COMPLETED']
  const alarmBake: DeploymentStepCode[] = watchesAlarms(release, known) ? ['BAKE'] : []
  if (release.strategy.type === 'rolling') return [...start, ...alarmBake, ...end]
  const test: DeploymentStepCode[] = hasTestStage(release) ? ['TEST_TRAFFIC_SHIFT'] : []
  const shifts = Array<DeploymentStepCode>(shiftCount(release)).fill('PRODUCTION_TRAFFIC_SHIFT')
  return [...start, ...test, ...shifts, 'BAKE', 'CLEAN_UP', ...end]
}

export const { note, reach, failed, abandoned } = createEventRecorder<EcsState>(({ release, progress }) =>
  trackOf(release, progress),
)

/**
 * Returns the 1-based number of the track's step that a release has reached; undefined for an unknown lifecycle stage.
 * Among several production shifts it is the one with `productionWeight`. Waiting before a shift is not a step of its
 * own. A rolling release without a stage is scaling up until it bakes.
 */
export function stepReached(
  { release, progress }: Pick<EcsState, 'progress' | 'release'>,
  stage: string | undefined,
  productionWeight: number,
): number | undefined {
  const track = trackOf(release, progress)
  const shifts = shiftsReached(release, productionWeight)
  const beforeShifts = track.indexOf('PRODUCTION_TRAFFIC_SHIFT')
  if (stage === 'PRE_PRODUCTION_TRAFFIC_SHIFT') return beforeShifts + shifts
  if (stage === 'PRODUCTION_TRAFFIC_SHIFT') return beforeShifts + Math.max(1, shifts)
  const step = stage === undefined ? 'SCALE_UP' : stepOfStage[stage]
  if (step === undefined) return undefined
  // Without a test listener, the cloud passes the test stages without any effect.
  return track.lastIndexOf(track.includes(step) ? step : 'SCALE_UP') + 1
}

function shiftsReached(release: EcsRelease, productionWeight: number): number {
  const count = shiftCount(release)
  if (productionWeight >= 100) return count
  if (release.strategy.type === 'canary') return productionWeight > 0 ? 1 : 0
  const percent = release.strategy.type === 'linear' ? (release.strategy.linear?.stepPercent ?? 10) : 100
  return Math.min(count, Math.floor(productionWeight / percent + 1e-6))
}
