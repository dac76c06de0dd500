import { type Static, Type } from 'typebox'
import { AnalysisBlock, analysisRules } from './analysis.ts'
import { arn, closed, type DeployBlockDescription, deployBlock, type Rule, text, withDefault } from './description.ts'
import { PostDeployBlock, PreDeployBlock } from './ecs-command.ts'
import { bakeMinutes, trafficShiftParts } from './traffic-strategy.ts'

/** Stages at which the cloud can pause the release of a container service. */
export const servicePauseStages = [
  'RECONCILE_SERVICE',
  'PRE_SCALE_UP',
  'POST_SCALE_UP',
  'POST_TEST_TRAFFIC_SHIFT',
  'PRE_PRODUCTION_TRAFFIC_SHIFT',
  'POST_PRODUCTION_TRAFFIC_SHIFT',
] as const

const shiftOnly = (what: string) =>
  Type.Optional(text(`${what}. If this and the related fields are absent, the load balancers of the service are used.`))

/** Container service, and the resources between which traffic shifts. */
const Infrastructure = Type.Object(
  {
    ecs_cluster_arn: arn('a cluster', 'ecs:', 'arn:aws:ecs:eu-west-1:123456789012:cluster/shop'),
    ecs_service_arn: arn(
      'a service',
      'ecs:[^:]+:\\d{12}:service/[^/]+/[^/]+$',
      'arn:aws:ecs:eu-west-1:123456789012:service/shop/web',
    ),
    ecs_target_group_arn: shiftOnly('First target group'),
    ecs_alternate_target_group_arn: shiftOnly('Second target group'),
    ecs_production_listener_rule_arn: shiftOnly('Listener rule for production traffic'),
    ecs_test_listener_rule_arn: Type.Optional(text('Listener rule for test traffic.')),
    ecs_infrastructure_role_arn: shiftOnly('Role with which the cloud changes the rules'),
  },
  { ...closed, description: 'Container service to deploy to.' },
)

const Strategy = Type.Object(
  {
    type: Type.Enum(['rolling', 'blue_green', 'linear', 'canary'], { description: 'Deployment strategy.' }),
    bake_time_in_minutes: withDefault(bakeMinutes, 10),
    ...trafficShiftParts(servicePauseStages),
  },
  closed,
)

/** Maps in a task definition with user-defined keys. Their keys are not converted. */
export const freeMaps: ReadonlySet<string> = new Set([
  ...['options', 'docker_labels', 'dockerLabels', 'labels', 'driver_opts', 'driverOpts'],
])

const TaskDefinition = Type.Object(
  {
    family: text('Family of the task definition.'),
    container_definitions: Type.Array(
      Type.Object(
        { name: text('Name of the container.'), image: text('Image to run.') },
        { additionalProperties: true },
      ),
      { minItems: 1, description: 'Containers. The first one is the application.' },
    ),
  },
  { additionalProperties: true, description: "Task definition as in the cloud's API, with keys in snake case." },
)

/** The `deploy` block of a container service. */
export const EcsDeploy = deployBlock('cloud:ecs', 1_800, {
  infrastructure: Infrastructure,
  task_definition: TaskDefinition,
  pre_deploy: Type.Optional(PreDeployBlock),
  post_deploy: Type.Optional(PostDeployBlock),
  analysis: Type.Optional(AnalysisBlock),
  alarms: Type.Optional(
    Type.Array(text('Name of an alarm.'), {
      maxItems: 100,
      uniqueItems: true,
      description: 'Alarms that roll the release back. Defaults to the alarms of the service.',
    }),
  ),
  strategy: withDefault(Strategy, { type: 'rolling' }),
})
export type EcsDeploy = Static<typeof EcsDeploy>

const isRolling = ({ strategy }: EcsDeploy): boolean => strategy.type === 'rolling'

/** Fields that must be set together. Without them, the settings of the service are used. */
const shiftParts = [
  'ecs_target_group_arn',
  'ecs_alternate_target_group_arn',
  'ecs_production_listener_rule_arn',
  'ecs_infrastructure_role_arn',
] as const

const namesShiftParts = ({ infrastructure }: EcsDeploy): boolean =>
  [...shiftParts, 'ecs_test_listener_rule_arn' as const].some((name) => infrastructure[name] !== undefined)

const rules: readonly Rule<EcsDeploy>[] = [
  (block) =>
    isRolling(block) && block.strategy.pause_stages.length > 0
      ? [
          {
            path: '.strategy.pause_stages',
            must: 'must be empty: a rolling release has no stage at which it can pause',
          },
        ]
      : [],
  ...shiftParts.map(
    (name): Rule<EcsDeploy> =>
      (block) =>
        !isRolling(block) && block.infrastructure[name] === undefined && namesShiftParts(block)
          ? [{ path: `.infrastructure.${name}`, must: 'is required to shift traffic' }]
          : [],
  ),
  (block) => {
    const { ecs_production_listener_rule_arn: production, ecs_test_listener_rule_arn: test } = block.infrastructure
    if (test === undefined || production !== test || isRolling(block)) return []
    const must = 'must name another rule than ecs_production_listener_rule_arn, or users would get the test traffic'
    return [{ path: '.infrastructure.ecs_test_listener_rule_arn', must }]
  },
  ...analysisRules,
  (block) =>
    isRolling(block) && block.analysis !== undefined
      ? [{ path: '.analysis', must: 'must be absent: a rolling release has neither pauses nor bake times' }]
      : [],
]

export const ecsDeploy = { schema: EcsDeploy, rules } as const satisfies DeployBlockDescription<EcsDeploy>
