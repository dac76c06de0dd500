import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { EcsStrategy } from '../../../cloud/facts/ecs.ts'
import type { PauseStage } from '../../../cloud/facts/pause-stage.ts'
import { faultsOf } from '../../../platform/http/faults.ts'
import { present } from '../../../platform/present.ts'
import { AnalysisBlock, analysisOf, faultsOfAnalysis } from '../analysis/block.ts'
import type { ReadBlock } from '../kind.ts'
import { trafficShiftParts } from '../traffic-strategy.ts'
import { cloudRequest } from './cloud-request.ts'
import { commandOf, failureActionOf, PostDeployBlock, PreDeployBlock } from './command-block.ts'
import { defaultTimeoutSeconds, Infrastructure, placeOf, Timeout, trafficShiftOf } from './infrastructure.ts'
import type { EcsStanding } from './standing.ts'
import { pauseStages } from './track.ts'

const closed = { additionalProperties: false } as const
const Text = Type.String({ minLength: 1 })

const Strategy = Type.Object(
  { type: Type.Enum(['rolling', 'blue_green', 'linear', 'canary']), ...trafficShiftParts(pauseStages) },
  closed,
)

/** The `deploy` block of a container service, rendered. Keys are those of module authors. */
const EcsDeploy = Type.Object(
  {
    type: Type.Literal('cloud:ecs'),
    inputs: Type.Optional(Type.Array(Type.Unknown())),
    timeout: Timeout,
    concurrency: Type.Optional(Type.Unknown()),
    infrastructure: Infrastructure,
    task_definition: Type.Object(
      { family: Text, container_definitions: Type.Array(Type.Object({ name: Text, image: Text }), { minItems: 1 }) },
      { additionalProperties: true },
    ),
    pre_deploy: Type.Optional(Type.Union([PreDeployBlock, Type.Null()])),
    post_deploy: Type.Optional(Type.Union([PostDeployBlock, Type.Null()])),
    analysis: Type.Optional(Type.Union([AnalysisBlock, Type.Null()])),
    alarms: Type.Optional(Type.Union([Type.Array(Text, { maxItems: 100, uniqueItems: true }), Type.Null()])),
    strategy: Type.Optional(Type.Union([Strategy, Type.Null()])),
  },
  closed,
)
type EcsDeploy = Static<typeof EcsDeploy>

// Compiled, checking takes a tenth of the time.
const reader = Compile(EcsDeploy)

/** Turns a rendered deploy block into the release, or tells everything that is wrong with it, each with its path. */
export function readEcsBlock(rendered: unknown): ReadBlock<EcsStanding> {
  const faults = faultsOf(reader, rendered, 'deploy')
  if (faults.length > 0) return { faults }
  const deploy = rendered as EcsDeploy
  const { infrastructure } = deploy
  const place = placeOf(infrastructure.ecs_service_arn)
  const shift = trafficShiftOf(infrastructure)
  const strategy = strategyOf(deploy.strategy ?? undefined)
  const wrong = [
    ...(place ? [] : ['deploy.infrastructure.ecs_service_arn must be the ARN of a service']),
    ...(strategy.type === 'rolling' && (deploy.strategy?.pause_stages ?? []).length > 0
      ? ['deploy.strategy.pause_stages must be empty: a rolling release has no stage at which it could pause']
      : []),
    ...(strategy.type === 'rolling' || !('missing' in shift) ? [] : shift.missing),
    ...(deploy.analysis ? faultsOfAnalysis(deploy.analysis) : []),
    ...(strategy.type === 'rolling' && deploy.analysis
      ? ['deploy.analysis must be absent: a rolling release has neither pauses nor bakes']
      : []),
  ]
  if (!place || wrong.length > 0) return { faults: wrong }
  const app = deploy.task_definition.container_definitions[0]?.name ?? ''
  return {
    accountNumber: place.accountNumber,
    release: present({
      type: 'cloud:ecs' as const,
      region: place.region,
      clusterArn: infrastructure.ecs_cluster_arn,
      serviceArn: infrastructure.ecs_service_arn,
      taskDefinition: { register: cloudRequest(deploy.task_definition) },
      trafficShift: strategy.type === 'rolling' || 'missing' in shift ? undefined : shift,
      strategy,
      preDeploy: deploy.pre_deploy ? commandOf(deploy.pre_deploy, app) : undefined,
      postDeploy: deploy.post_deploy
        ? { ...commandOf(deploy.post_deploy, app), failureAction: failureActionOf(deploy.post_deploy) }
        : undefined,
      alarms: deploy.alarms ?? undefined,
      analysis: deploy.analysis ? analysisOf(deploy.analysis) : undefined,
      timeoutSeconds: deploy.timeout ?? defaultTimeoutSeconds,
    }),
  }
}

/** The language's defaults where the author says nothing. Minutes and percent. */
function strategyOf(given: Static<typeof Strategy> | undefined): EcsStrategy {
  if (given === undefined || given.type === 'rolling') return { type: 'rolling' }
  const { linear, canary } = given
  return present({
    type: given.type,
    bakeTimeInMinutes: given.bake_time_in_minutes ?? 10,
    linear:
      given.type === 'linear'
        ? { stepPercent: linear?.step_percentage ?? 20, stepBakeTimeInMinutes: linear?.step_bake_time_in_minutes ?? 5 }
        : undefined,
    canary:
      given.type === 'canary'
        ? {
            canaryPercent: canary?.canary_percent ?? 5,
            canaryBakeTimeInMinutes: canary?.canary_bake_time_in_minutes ?? 10,
          }
        : undefined,
    pauseStages: (given.pause_stages ?? []).map(
      (pause): PauseStage => ({
        stage: pause.stage,
        timeoutInMinutes: pause.timeout_in_minutes ?? 1_440,
        timeoutAction: pause.timeout_action ?? 'ROLLBACK',
      }),
    ),
  })
}
