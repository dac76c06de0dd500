import { type Static, Type } from 'typebox'
import { AnalysisBlock, analysisRules } from './analysis.ts'
import { arn, closed, type DeployBlockDescription, deployBlock, otherwise, type Rule, text } from './description.ts'
import { PostDeployBlock, PreDeployBlock } from './ecs-command.ts'
import { bakeMinutes, trafficShiftParts } from './traffic-strategy.ts'

/** The stages at which the cloud can pause the release of a container service. */
export const servicePauseStages = [
  'RECONCILE_SERVICE',
  'PRE_SCALE_UP',
  'POST_SCALE_UP',
  'POST_TEST_TRAFFIC_SHIFT',
  'PRE_PRODUCTION_TRAFFIC_SHIFT',
  'POST_PRODUCTION_TRAFFIC_SHIFT',
] as const

const shiftOnly = (what: string) =>
  Type.Optional(text(`${what}. Absent with all of them: the load balancers as the service has them.`))

/** Where a container service is, and between what its traffic is shifted. */
const Infrastructure = Type.Object(
  {
    ecs_cluster_arn: arn('a cluster', 'ecs:', 'arn:aws:ecs:eu-west-1:123456789012:cluster/shop'),
    ecs_service_arn: arn(
      'a service',
      'ecs:[^:]+:\\d{12}:service/[^/]+/[^/]+$',
      'arn:aws:ecs:eu-west-1:123456789012:service/shop/web',
    ),
    ecs_target_group_arn: shiftOnly('One target group'),
    ecs_alternate_target_group_arn: shiftOnly('The other target group'),
    ecs_production_listener_rule_arn: shiftOnly('The rule that sends users'),
    ecs_test_listener_rule_arn: Type.Optional(text('The rule that sends test traffic to the new version.')),
    ecs_infrastructure_role_arn: shiftOnly('The role by which the cloud changes the rules'),
  },
  { ...closed, description: 'The service.' },
)

const Strategy = Type.Object(
  {
    type: Type.Enum(['rolling', 'blue_green', 'linear', 'canary'], { description: 'How traffic moves.' }),
    bake_time_in_minutes: otherwise(bakeMinutes, 10),
    ...trafficShiftParts(servicePauseStages),
  },
  closed,
)

/** Maps in a task definition whose keys are the user's own and stay as they are. */
export const freeMaps: ReadonlySet<string> = new Set([
  ...['options', 'docker_labels', 'dockerLabels', 'labels', 'driver_opts', 'driverOpts'],
])

const TaskDefinition = Type.Object(
  {
    family: text('Its name.'),
    container_definitions: Type.Array(
      Type.Object({ name: text('Of the container.'), image: text('What it runs.') }, { additionalProperties: true }),
      { minItems: 1, description: 'The first is the app.' },
    ),
  },
  { additionalProperties: true, description: "The cloud's own request, its keys in snake case." },
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
      description: 'They turn the release back. Absent: those that the service has.',
    }),
  ),
  strategy: otherwise(Strategy, { type: 'rolling' }),
})
export type EcsDeploy = Static<typeof EcsDeploy>

const isRolling = ({ strategy }: EcsDeploy): boolean => strategy.type === 'rolling'

/** What belongs together: a block names all of it, or leaves it to the service. */
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
            must: 'must be empty: a rolling release has no stage at which it could pause',
          },
        ]
      : [],
  ...shiftParts.map(
    (name): Rule<EcsDeploy> =>
      (block) =>
        !isRolling(block) && block.infrastructure[name] === undefined && namesShiftParts(block)
          ? [{ path: `.infrastructure.${name}`, must: 'is needed to shift traffic' }]
          : [],
  ),
  (block) => {
    const { ecs_production_listener_rule_arn: production, ecs_test_listener_rule_arn: test } = block.infrastructure
    if (test === undefined || production !== test || isRolling(block)) return []
    const must = 'must name another rule than ecs_production_listener_rule_arn: users would get the test traffic'
    return [{ path: '.infrastructure.ecs_test_listener_rule_arn', must }]
  },
  ...analysisRules,
  (block) =>
    isRolling(block) && block.analysis !== undefined
      ? [{ path: '.analysis', must: 'must be absent: a rolling release has neither pauses nor bakes' }]
      : [],
]

export const ecsDeploy = { schema: EcsDeploy, rules } as const satisfies DeployBlockDescription<EcsDeploy>
