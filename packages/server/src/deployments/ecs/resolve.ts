import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { present } from '../../platform/present.ts'
import type { EcsRelease, EcsStrategy, PauseStage } from '../release.ts'
import { taskDefinitionRequest } from './task-definition.ts'
import { pauseStages } from './track.ts'

const closed = { additionalProperties: false } as const
const Text = Type.String({ minLength: 1 })
const arnOf = (kind: string) => Type.String({ pattern: `^arn:[^:]+:${kind}`, description: `an ARN of ${kind}` })
const orNull = <T extends ReturnType<typeof Type.Object> | typeof Text>(schema: T) =>
  Type.Optional(Type.Union([schema, Type.Null()]))

/** Minutes. Pauses may last 14 days, bakes one. */
const PauseMinutes = Type.Integer({ minimum: 1, maximum: 20_160 })
const BakeMinutes = Type.Integer({ minimum: 0, maximum: 1_440 })
const Percent = Type.Number({ minimum: 1, maximum: 100 })

const Strategy = Type.Object(
  {
    type: Type.Enum(['rolling', 'blue_green', 'linear', 'canary']),
    bake_time_in_minutes: Type.Optional(BakeMinutes),
    linear: orNull(
      Type.Object(
        { step_percentage: Type.Optional(Percent), step_bake_time_in_minutes: Type.Optional(BakeMinutes) },
        closed,
      ),
    ),
    canary: orNull(
      Type.Object(
        { canary_percent: Type.Optional(Percent), canary_bake_time_in_minutes: Type.Optional(BakeMinutes) },
        closed,
      ),
    ),
    pause_stages: Type.Optional(
      Type.Union([
        Type.Array(
          Type.Object(
            {
              stage: Type.Enum([...pauseStages]),
              timeout_in_minutes: Type.Optional(PauseMinutes),
              timeout_action: Type.Optional(Type.Enum(['ROLLBACK', 'CONTINUE'])),
            },
            closed,
          ),
          // The cloud takes ten pause hooks a service.
          { maxItems: 10 },
        ),
        Type.Null(),
      ]),
    ),
  },
  closed,
)

const Infrastructure = Type.Object(
  {
    ecs_cluster_arn: arnOf('ecs:'),
    ecs_service_arn: arnOf('ecs:'),
    ecs_target_group_arn: orNull(Text),
    ecs_alternate_target_group_arn: orNull(Text),
    ecs_production_listener_rule_arn: orNull(Text),
    ecs_test_listener_rule_arn: orNull(Text),
    ecs_infrastructure_role_arn: orNull(Text),
  },
  closed,
)

/** The `deploy` block of a container service, rendered. Keys are those of module authors. */
export const EcsDeploy = Type.Object(
  {
    type: Type.Literal('cloud:ecs'),
    inputs: Type.Optional(Type.Array(Type.Unknown())),
    timeout: Type.Optional(Type.Integer({ minimum: 60, maximum: 2_592_000 })),
    concurrency: Type.Optional(Type.Unknown()),
    infrastructure: Infrastructure,
    task_definition: Type.Object(
      { family: Text, container_definitions: Type.Array(Type.Object({ name: Text, image: Text }), { minItems: 1 }) },
      { additionalProperties: true },
    ),
    pre_deploy: Type.Optional(Type.Null()),
    post_deploy: Type.Optional(Type.Null()),
    strategy: Type.Optional(Type.Union([Strategy, Type.Null()])),
  },
  closed,
)
type EcsDeploy = Static<typeof EcsDeploy>

// Compiled, checking takes a tenth of the time.
const reader = Compile(EcsDeploy)

export type Resolved =
  | { release: Omit<EcsRelease, 'cloudAccountId' | 'queue'>; accountNumber: string }
  | { faults: string[] }

/** Turns a rendered deploy block into the release, or tells everything that is wrong with it, each with its path. */
export function resolveEcs(rendered: unknown): Resolved {
  const faults = faultsOf(rendered)
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
  ]
  if (!place || wrong.length > 0) return { faults: wrong }
  return {
    accountNumber: place.accountNumber,
    release: present({
      type: 'cloud:ecs' as const,
      region: place.region,
      clusterArn: infrastructure.ecs_cluster_arn,
      serviceArn: infrastructure.ecs_service_arn,
      taskDefinition: { register: taskDefinitionRequest(deploy.task_definition) },
      trafficShift: strategy.type === 'rolling' || 'missing' in shift ? undefined : shift,
      strategy,
      timeoutSeconds: deploy.timeout ?? 1_800,
    }),
  }
}

/** Every fault in the author's words: of a value that may also be null, only what is wrong with the value. */
function faultsOf(rendered: unknown): string[] {
  if (reader.Check(rendered)) return []
  const errors = reader.Errors(rendered)
  const alternatives = errors.filter(({ keyword }) => keyword === 'anyOf').map(({ instancePath }) => instancePath)
  return errors.flatMap((error) => {
    const path = pathOf(error.instancePath)
    switch (error.keyword) {
      case 'anyOf':
      case 'additionalProperties': // each such key has an error of its own, by the keyword `boolean`
        return []
      case 'boolean':
        return [`${path} is not a key that is known here`]
      case 'enum':
        return [`${path} must be one of ${error.params.allowedValues.join(', ')}`]
      case 'type':
        return error.params.type === 'null' && alternatives.includes(error.instancePath)
          ? []
          : [`${path} ${error.message}`]
      default:
        return [`${path} ${error.message}`]
    }
  })
}

const pathOf = (pointer: string): string => `deploy${pointer.replaceAll(/\/(\d+)/g, '[$1]').replaceAll('/', '.')}`

/** `arn:aws:ecs:REGION:ACCOUNT:service/CLUSTER/NAME` */
function placeOf(serviceArn: string): { region: string; accountNumber: string } | undefined {
  const [, region, accountNumber] = /^arn:[^:]+:ecs:([^:]+):(\d{12}):service\/[^/]+\/[^/]+$/.exec(serviceArn) ?? []
  return region && accountNumber ? { region, accountNumber } : undefined
}

function trafficShiftOf(
  infrastructure: EcsDeploy['infrastructure'],
): (EcsRelease['trafficShift'] & object) | { missing: string[] } {
  const {
    ecs_target_group_arn: targetGroupArn,
    ecs_alternate_target_group_arn: alternateTargetGroupArn,
    ecs_production_listener_rule_arn: productionListenerRuleArn,
    ecs_test_listener_rule_arn: testListenerRuleArn,
    ecs_infrastructure_role_arn: infrastructureRoleArn,
  } = infrastructure
  if (targetGroupArn && alternateTargetGroupArn && productionListenerRuleArn && infrastructureRoleArn) {
    const shift = { targetGroupArn, alternateTargetGroupArn, productionListenerRuleArn, infrastructureRoleArn }
    return { ...shift, ...present({ testListenerRuleArn: testListenerRuleArn ?? undefined }) }
  }
  const needed = { targetGroupArn, alternateTargetGroupArn, productionListenerRuleArn, infrastructureRoleArn }
  const keys: Record<keyof typeof needed, string> = {
    targetGroupArn: 'ecs_target_group_arn',
    alternateTargetGroupArn: 'ecs_alternate_target_group_arn',
    productionListenerRuleArn: 'ecs_production_listener_rule_arn',
    infrastructureRoleArn: 'ecs_infrastructure_role_arn',
  }
  const absent = (Object.keys(needed) as (keyof typeof needed)[]).filter((name) => !needed[name])
  return { missing: absent.map((name) => `deploy.infrastructure.${keys[name]} is needed to shift traffic`) }
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
