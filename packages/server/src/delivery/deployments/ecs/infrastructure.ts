import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { TrafficShift } from '../../../cloud/facts/ecs.ts'
import { present } from '../../../platform/present.ts'
import type { EcsRelease } from './release.ts'

const closed = { additionalProperties: false } as const
const Text = Type.String({ minLength: 1 })
const arnOf = (kind: string) => Type.String({ pattern: `^arn:[^:]+:${kind}`, description: `an ARN of ${kind}` })
const TextOrNull = Type.Optional(Type.Union([Text, Type.Null()]))

/** The `infrastructure` of a deploy block, rendered. Keys are those of module authors. */
export const Infrastructure = Type.Object(
  {
    ecs_cluster_arn: arnOf('ecs:'),
    ecs_service_arn: arnOf('ecs:'),
    ecs_target_group_arn: TextOrNull,
    ecs_alternate_target_group_arn: TextOrNull,
    ecs_production_listener_rule_arn: TextOrNull,
    ecs_test_listener_rule_arn: TextOrNull,
    ecs_infrastructure_role_arn: TextOrNull,
  },
  closed,
)

/** Seconds. */
export const Timeout = Type.Optional(Type.Integer({ minimum: 60, maximum: 2_592_000 }))
export const defaultTimeoutSeconds = 1_800

/** What a block says of its service, whatever is released to it. */
export type EcsService = Omit<EcsRelease, 'cloudAccountId' | 'queue' | 'taskDefinition' | 'strategy'>

const reader = Compile(Type.Object({ infrastructure: Infrastructure, timeout: Timeout }))

/** Reads the service out of the parts of a block that name it; undefined where they do not. */
export function readService(rendered: unknown): EcsService | undefined {
  if (!reader.Check(rendered)) return undefined
  const { infrastructure, timeout = defaultTimeoutSeconds } = rendered
  const place = placeOf(infrastructure.ecs_service_arn)
  if (!place) return undefined
  const shift = trafficShiftOf(infrastructure)
  return present({
    type: 'cloud:ecs' as const,
    region: place.region,
    clusterArn: infrastructure.ecs_cluster_arn,
    serviceArn: infrastructure.ecs_service_arn,
    trafficShift: 'missing' in shift ? undefined : shift,
    timeoutSeconds: timeout,
  })
}

/** `arn:aws:ecs:REGION:ACCOUNT:service/CLUSTER/NAME` */
export function placeOf(serviceArn: string): { region: string; accountNumber: string } | undefined {
  const [, region, accountNumber] = /^arn:[^:]+:ecs:([^:]+):(\d{12}):service\/[^/]+\/[^/]+$/.exec(serviceArn) ?? []
  return region && accountNumber ? { region, accountNumber } : undefined
}

/** What traffic is shifted between, or what the block lacks for it. */
export function trafficShiftOf(infrastructure: Static<typeof Infrastructure>): TrafficShift | { missing: string[] } {
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
