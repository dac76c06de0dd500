import type { DeploymentConfiguration } from '@aws-sdk/client-ecs'

/**
 * Lifecycle stages in order. REPLACE_TASKS is the internal stage of a rolling deployment. (Developer guide, "Lifecycle
 * hooks for Amazon ECS service deployments".)
 */
export const stages = [
  'RECONCILE_SERVICE',
  'PRE_SCALE_UP',
  'SCALE_UP',
  'POST_SCALE_UP',
  'TEST_TRAFFIC_SHIFT',
  'POST_TEST_TRAFFIC_SHIFT',
  'PRE_PRODUCTION_TRAFFIC_SHIFT',
  'PRODUCTION_TRAFFIC_SHIFT',
  'POST_PRODUCTION_TRAFFIC_SHIFT',
  'BAKE_TIME',
  'CLEAN_UP',
  'REPLACE_TASKS',
] as const
export type Stage = (typeof stages)[number]

/** Stages that support pauses: those in which neither traffic nor tasks change. */
export const pauseStages: readonly string[] = [
  'RECONCILE_SERVICE',
  'PRE_SCALE_UP',
  'POST_SCALE_UP',
  'POST_TEST_TRAFFIC_SHIFT',
  'PRE_PRODUCTION_TRAFFIC_SHIFT',
  'POST_PRODUCTION_TRAFFIC_SHIFT',
]

/** Stages that support Lambda hooks: the pause stages and the traffic shifts. */
export const functionStages: readonly string[] = [...pauseStages, 'TEST_TRAFFIC_SHIFT', 'PRODUCTION_TRAFFIC_SHIFT']

export type Strategy = 'ROLLING' | 'BLUE_GREEN' | 'LINEAR' | 'CANARY'

/** Percentage of production and test traffic of the target revision; the rest goes to its predecessor. */
export interface Weights {
  production: number
  test: number
}

/** Phase of a deployment: its stage, traffic weights and bake time. */
export interface Phase {
  stage: Stage
  weights: Weights
  bakeMinutes: number
}

interface ShiftStep {
  percent: number
  bakeMinutes: number
}

/** Returns the target's production traffic after each shift. */
function shiftSteps({ strategy, linearConfiguration, canaryConfiguration }: DeploymentConfiguration): ShiftStep[] {
  if (strategy === 'LINEAR') {
    const step = linearConfiguration?.stepPercent ?? 10
    const bakeMinutes = linearConfiguration?.stepBakeTimeInMinutes ?? 6
    const count = Math.ceil(100 / step)
    return Array.from({ length: count }, (_, index) =>
      index + 1 === count
        ? { percent: 100, bakeMinutes: 0 }
        : { percent: Math.round((index + 1) * step * 10) / 10, bakeMinutes },
    )
  }
  const canaryPercent = canaryConfiguration?.canaryPercent ?? 5
  if (strategy === 'CANARY' && canaryPercent < 100) {
    const first = { percent: canaryPercent, bakeMinutes: canaryConfiguration?.canaryBakeTimeInMinutes ?? 10 }
    return [first, { percent: 100, bakeMinutes: 0 }]
  }
  return [{ percent: 100, bakeMinutes: 0 }]
}

const calm = (stage: Stage, production: number, test: number): Phase => ({
  stage,
  weights: { production, test },
  bakeMinutes: 0,
})

/**
 * Returns the phases of a deployment, beginning with RECONCILE_SERVICE if several revisions are active. With alarms, a
 * rolling deployment bakes for `alarmBakeMinutes` ("How CloudWatch alarms detect Amazon ECS deployment failures",
 * developer guide, read 2026-11).
 */
export function forwardPhases(
  configuration: DeploymentConfiguration,
  reconcileFirst: boolean,
  alarmBakeMinutes = 0,
): Phase[] {
  if ((configuration.strategy ?? 'ROLLING') === 'ROLLING') {
    const bake = alarmBakeMinutes > 0 ? [{ ...calm('BAKE_TIME', 0, 0), bakeMinutes: alarmBakeMinutes }] : []
    return [calm('REPLACE_TASKS', 0, 0), ...bake]
  }
  const phases: Phase[] = reconcileFirst ? [calm('RECONCILE_SERVICE', 0, 0)] : []
  phases.push(calm('PRE_SCALE_UP', 0, 0), calm('SCALE_UP', 0, 0), calm('POST_SCALE_UP', 0, 0))
  phases.push(calm('TEST_TRAFFIC_SHIFT', 0, 100), calm('POST_TEST_TRAFFIC_SHIFT', 0, 100))
  let before = 0
  for (const { percent, bakeMinutes } of shiftSteps(configuration)) {
    phases.push(calm('PRE_PRODUCTION_TRAFFIC_SHIFT', before, 100))
    phases.push({ ...calm('PRODUCTION_TRAFFIC_SHIFT', percent, 100), bakeMinutes })
    before = percent
  }
  phases.push(calm('POST_PRODUCTION_TRAFFIC_SHIFT', 100, 100))
  phases.push({ ...calm('BAKE_TIME', 100, 100), bakeMinutes: configuration.bakeTimeInMinutes ?? 0 })
  phases.push(calm('CLEAN_UP', 100, 100))
  return phases
}

/** Returns the phases of a rollback: the traffic shifts in reverse, then the removal of the target's tasks. */
export function backwardPhases(strategy: Strategy, { production, test }: Weights): Phase[] {
  if (strategy === 'ROLLING') return [calm('REPLACE_TASKS', 0, 0)]
  const phases: Phase[] = []
  if (production > 0) phases.push(calm('PRODUCTION_TRAFFIC_SHIFT', 0, test))
  if (test > 0) phases.push(calm('TEST_TRAFFIC_SHIFT', 0, 0))
  phases.push(calm('CLEAN_UP', 0, 0))
  return phases
}
