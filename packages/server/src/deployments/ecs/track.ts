import type { DeploymentStepCode, PauseLabel, TrafficPhase } from '@sluice/contract'
import type { EcsRelease } from '../release.ts'

/** The stages at which the cloud can pause. */
export const pauseStages = [
  'RECONCILE_SERVICE',
  'PRE_SCALE_UP',
  'POST_SCALE_UP',
  'POST_TEST_TRAFFIC_SHIFT',
  'PRE_PRODUCTION_TRAFFIC_SHIFT',
  'POST_PRODUCTION_TRAFFIC_SHIFT',
] as const

/** The step that each lifecycle stage of the cloud belongs to, in the cloud's order; a stage that is not here is new to us. */
const stepOfStage: Record<string, DeploymentStepCode> = {
  RECONCILE_SERVICE: 'SCALE_UP',
  PRE_SCALE_UP: 'SCALE_UP',
  SCALE_UP: 'SCALE_UP',
  POST_SCALE_UP: 'SCALE_UP',
  TEST_TRAFFIC_SHIFT: 'TEST_TRAFFIC_SHIFT',
  POST_TEST_TRAFFIC_SHIFT: 'TEST_TRAFFIC_SHIFT',
  PRODUCTION_TRAFFIC_SHIFT: 'PRODUCTION_TRAFFIC_SHIFT',
  POST_PRODUCTION_TRAFFIC_SHIFT: 'PRODUCTION_TRAFFIC_SHIFT',
  BAKE_TIME: 'BAKE',
  CLEAN_UP: 'CLEAN_UP',
}

/**
 * The step that a release has reached, or undefined where the cloud's word tells nothing new. Waiting before a shift
 * (PRE_PRODUCTION_TRAFFIC_SHIFT) is no step of its own: the release stands where the shift before it ended.
 * A rolling release reports no stage: it is scaling up throughout.
 */
export function stepAt(stage: string | undefined, productionWeight: number): DeploymentStepCode | undefined {
  if (stage === undefined) return 'SCALE_UP'
  if (stage !== 'PRE_PRODUCTION_TRAFFIC_SHIFT') return stepOfStage[stage]
  return productionWeight > 0 ? 'PRODUCTION_TRAFFIC_SHIFT' : undefined
}

/** Where the new version stands in relation to the users' traffic. */
export function trafficPhaseOf(stage: string | undefined, productionWeight: number): TrafficPhase {
  if (productionWeight >= 100) return 'production'
  if (productionWeight > 0 || stage === 'PRODUCTION_TRAFFIC_SHIFT') return 'shifting'
  if (stage === 'TEST_TRAFFIC_SHIFT' || stage === 'POST_TEST_TRAFFIC_SHIFT') return 'test'
  return 'standby'
}

/** What a person who continues a pause at this stage agrees to. */
export function labelOf(stage: string | undefined, productionWeight: number): PauseLabel {
  if (stage === 'POST_TEST_TRAFFIC_SHIFT') return 'approve_test_traffic'
  if (stage === 'PRE_PRODUCTION_TRAFFIC_SHIFT') return productionWeight > 0 ? 'continue' : 'shift_traffic'
  if (stage === 'POST_PRODUCTION_TRAFFIC_SHIFT') return 'finish'
  return 'continue'
}

/** How many times production traffic is shifted: linear in equal steps (30 % → 30, 60, 90, 100), canary twice. */
export function shiftCount({ strategy }: EcsRelease): number {
  if (strategy.type === 'linear') return Math.ceil(100 / (strategy.linear?.stepPercent ?? 10))
  return strategy.type === 'canary' ? 2 : 1
}

/** The steps of a release from first to last; production traffic shifts appear once each. */
export function trackOf(release: EcsRelease): DeploymentStepCode[] {
  const start: DeploymentStepCode[] = ['INIT', 'REGISTER_RELEASE', 'UPDATE_SERVICE', 'SCALE_UP']
  if (release.strategy.type === 'rolling') return [...start, 'COMPLETED']
  const test: DeploymentStepCode[] = release.trafficShift?.testListenerRuleArn ? ['TEST_TRAFFIC_SHIFT'] : []
  const shifts = Array<DeploymentStepCode>(shiftCount(release)).fill('PRODUCTION_TRAFFIC_SHIFT')
  return [...start, ...test, ...shifts, 'BAKE', 'CLEAN_UP', 'COMPLETED']
}

/**
 * The 1-based number of a step on the track. Of several production shifts it is the one that brings traffic up to
 * `productionWeight`. A step that is not on the track (a rollback, a pause) has the number of where the release stands.
 */
export function stepNumber(release: EcsRelease, step: DeploymentStepCode, productionWeight = 0): number | undefined {
  const track = trackOf(release)
  const first = track.indexOf(step)
  if (first < 0) return undefined
  if (step !== 'PRODUCTION_TRAFFIC_SHIFT') return first + 1
  return first + Math.max(1, shiftsReached(release, productionWeight))
}

function shiftsReached(release: EcsRelease, productionWeight: number): number {
  const count = shiftCount(release)
  if (productionWeight >= 100) return count
  if (release.strategy.type === 'canary') return productionWeight > 0 ? 1 : 0
  const percent = release.strategy.type === 'linear' ? (release.strategy.linear?.stepPercent ?? 10) : 100
  return Math.min(count, Math.floor(productionWeight / percent + 1e-6))
}
