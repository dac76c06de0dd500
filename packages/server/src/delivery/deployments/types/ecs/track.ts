import type { DeploymentStepCode, PauseLabel } from '@sluice/contract'
import type { ServiceDeploymentSnapshot } from '../../../../cloud/facts/ecs.ts'
import { notesAlong } from '../../execution/events.ts'
import type { Hook } from '../../execution/progress.ts'
import type { AfterPause } from '../deployment-type.ts'
import type { EcsRelease } from './release.ts'
import type { EcsStanding } from './state.ts'

/** The step that a lifecycle stage of the cloud belongs to, but for those before and at a production shift. */
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

/** What a person who continues a pause at this stage agrees to. */
function labelOf(stage: string | undefined, productionWeight: number): PauseLabel {
  if (stage === 'POST_TEST_TRAFFIC_SHIFT') return 'approve_test_traffic'
  if (stage === 'PRE_PRODUCTION_TRAFFIC_SHIFT') return productionWeight > 0 ? 'continue' : 'shift_traffic'
  if (stage === 'POST_PRODUCTION_TRAFFIC_SHIFT') return 'finish'
  return 'continue'
}

/** What is agreed to by whoever continues this pause. */
export function labelOfHook({ data }: EcsStanding, { lifecycleStage }: Hook): PauseLabel {
  const weight = data.serviceDeploymentState?.targetServiceRevision?.requestedProductionTrafficWeight ?? 0
  return labelOf(lifecycleStage, weight)
}

/** What begins when this pause goes on. */
export function afterPause({ release, data }: EcsStanding, { lifecycleStage }: Hook): AfterPause {
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

/** The share that the next shift of production traffic brings the new version to, in percent. */
function nextShare(
  { type, linear, canary }: Exclude<EcsRelease['strategy'], { type: 'rolling' }>,
  share: number,
): number {
  if (type === 'linear') return Math.min(100, share + (linear?.stepPercent ?? 10))
  return type === 'canary' && share === 0 ? (canary?.canaryPercent ?? 100) : 100
}

/** How many times production traffic is shifted: linear in equal steps (30 % → 30, 60, 90, 100), canary twice. */
export function shiftCount({ strategy }: EcsRelease): number {
  if (strategy.type === 'linear') return Math.ceil(100 / (strategy.linear?.stepPercent ?? 10))
  return strategy.type === 'canary' ? 2 : 1
}

/** Where the block leaves load balancers to the service, test traffic is the service's to say, such as by its mesh. */
const hasTestStage = ({ trafficShift }: EcsRelease): boolean =>
  trafficShift === undefined || trafficShift.testListenerRuleArn !== undefined

/** Whether the track of a rolling release has a bake: the block names the alarms that the cloud watches. */
const watchesAlarms = ({ alarms = [] }: EcsRelease): boolean => alarms.length > 0

/**
 * Whether a rolling release only waits for alarms, those of the block or of the service. The cloud reports no stage of
 * a rolling deployment, but that it runs all tasks of the new revision and none of those before.
 */
export function isBaking({ strategy }: EcsRelease, { state, alarms }: ServiceDeploymentSnapshot): boolean {
  if (strategy.type !== 'rolling' || state.status !== 'IN_PROGRESS' || alarms?.status !== 'MONITORING') return false
  const { targetServiceRevision, sourceServiceRevisions = [] } = state
  if (!targetServiceRevision?.requestedTaskCount) return false
  const { requestedTaskCount, runningTaskCount, pendingTaskCount } = targetServiceRevision
  const hasReplaced = runningTaskCount === requestedTaskCount && pendingTaskCount === 0
  return hasReplaced && sourceServiceRevisions.every((one) => one.runningTaskCount === 0 && one.pendingTaskCount === 0)
}

/** The steps of a release from first to last; production traffic shifts appear once each. */
export function trackOf(release: EcsRelease): DeploymentStepCode[] {
  const before: DeploymentStepCode[] = release.preDeploy ? ['PRE_DEPLOY'] : []
  const start: DeploymentStepCode[] = ['INIT', 'REGISTER_RELEASE', ...before, 'UPDATE_SERVICE', 'SCALE_UP']
  const end: DeploymentStepCode[] = release.postDeploy ? ['POST_DEPLOY', 'COMPLETED'] : ['COMPLETED']
  const alarmBake: DeploymentStepCode[] = watchesAlarms(release) ? ['BAKE'] : []
  if (release.strategy.type === 'rolling') return [...start, ...alarmBake, ...end]
  const test: DeploymentStepCode[] = hasTestStage(release) ? ['TEST_TRAFFIC_SHIFT'] : []
  const shifts = Array<DeploymentStepCode>(shiftCount(release)).fill('PRODUCTION_TRAFFIC_SHIFT')
  return [...start, ...test, ...shifts, 'BAKE', 'CLEAN_UP', ...end]
}

export const { note, reach, failed, abandoned } = notesAlong<EcsStanding>(trackOf)

/**
 * The 1-based number of the step on the track that a release has reached, or undefined where the cloud's word for the
 * stage is new to us. Of several production shifts it is the one that brought traffic up to `productionWeight`.
 * Waiting before a shift (PRE_PRODUCTION_TRAFFIC_SHIFT) is no step of its own: the release stands where it stood.
 * A rolling release reports no stage: it is scaling up until it bakes.
 */
export function stepReached(
  release: EcsRelease,
  stage: string | undefined,
  productionWeight: number,
): number | undefined {
  const track = trackOf(release)
  const shifts = shiftsReached(release, productionWeight)
  const beforeShifts = track.indexOf('PRODUCTION_TRAFFIC_SHIFT')
  if (stage === 'PRE_PRODUCTION_TRAFFIC_SHIFT') return beforeShifts + shifts
  if (stage === 'PRODUCTION_TRAFFIC_SHIFT') return beforeShifts + Math.max(1, shifts)
  const step = stage === undefined ? 'SCALE_UP' : stepOfStage[stage]
  if (step === undefined) return undefined
  // Without a test listener the stages of the test traffic are passed as well, with nothing to do.
  return track.lastIndexOf(track.includes(step) ? step : 'SCALE_UP') + 1
}

function shiftsReached(release: EcsRelease, productionWeight: number): number {
  const count = shiftCount(release)
  if (productionWeight >= 100) return count
  if (release.strategy.type === 'canary') return productionWeight > 0 ? 1 : 0
  const percent = release.strategy.type === 'linear' ? (release.strategy.linear?.stepPercent ?? 10) : 100
  return Math.min(count, Math.floor(productionWeight / percent + 1e-6))
}
