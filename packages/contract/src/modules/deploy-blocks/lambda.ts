import { type Static, Type } from 'typebox'
import { AnalysisBlock, analysisRules } from './analysis.ts'
import { arn, closed, type DeployBlockDescription, deployBlock, otherwise, type Rule, text } from './description.ts'
import { bakeMinutes, trafficShiftParts } from './traffic-strategy.ts'

/** The stages at which the release of a function can pause: before each shift of traffic, and after the last. */
export const functionPauseStages = ['PRE_PRODUCTION_TRAFFIC_SHIFT', 'POST_PRODUCTION_TRAFFIC_SHIFT'] as const
export type FunctionPauseStage = (typeof functionPauseStages)[number]

const Infrastructure = Type.Object(
  {
    function_arn: arn(
      'a function, without a version or an alias',
      'lambda:[^:]+:\\d{12}:function:[^:]+$',
      'arn:aws:lambda:eu-west-1:123456789012:function:mailer',
    ),
    region: Type.Optional(text('Where the function is.')),
    alias_name: Type.String({
      pattern: '^(?!\\d+$)[a-zA-Z0-9-_]{1,128}$',
      title: 'letters, digits, - and _, and not a number',
      examples: ['live'],
      description: 'The alias by which the function is called.',
    }),
    s3_artifact_bucket: Type.Optional(text('Where archives are.')),
  },
  closed,
)

const Definition = Type.Object(
  {
    package_type: Type.Enum(['zip', 'image'], { description: 'What the function is made of.' }),
    s3_key: Type.Optional(text('The archive.')),
    image_uri: Type.Optional(text('The image.')),
    keep_latest_successful_deploy_count: Type.Optional(
      // The release that is live, and the one that a rollback returns to.
      Type.Integer({ minimum: 2, description: 'How many releases keep their version. Absent: all.' }),
    ),
  },
  { ...closed, description: 'What is released.' },
)

const Strategy = Type.Object(
  {
    type: Type.Enum(['all_at_once', 'linear', 'canary'], { description: 'How calls move.' }),
    // Ten, or none where all calls move at once.
    bake_time_in_minutes: Type.Optional(bakeMinutes),
    ...trafficShiftParts(functionPauseStages),
  },
  closed,
)

/** The `deploy` block of a function. */
export const LambdaDeploy = deployBlock('cloud:lambda', 1_800, {
  infrastructure: Infrastructure,
  definition: Definition,
  strategy: otherwise(Strategy, { type: 'all_at_once' }),
  analysis: Type.Optional(AnalysisBlock),
})
export type LambdaDeploy = Static<typeof LambdaDeploy>

/** Minutes that it is watched after all calls moved. */
export const functionBakeMinutes = ({ type, bake_time_in_minutes }: LambdaDeploy['strategy']): number =>
  bake_time_in_minutes ?? (type === 'all_at_once' ? 0 : 10)

/** Whether the release stops anywhere, so that there is a time to analyse it in. */
function stops({ strategy }: LambdaDeploy): boolean {
  const { type, linear, canary } = strategy
  if (strategy.pause_stages.length > 0 || functionBakeMinutes(strategy) > 0) return true
  if (type === 'linear') return linear.step_percentage < 100 && linear.step_bake_time_in_minutes > 0
  return type === 'canary' && canary.canary_percent < 100 && canary.canary_bake_time_in_minutes > 0
}

const needed = (isNeeded: boolean, path: string, what: string) =>
  isNeeded ? [{ path, must: `is needed for ${what}` }] : []

const rules: readonly Rule<LambdaDeploy>[] = [
  ({ infrastructure: { region, function_arn } }) => {
    const actual = function_arn.split(':')[3]
    if (region === undefined || region === actual) return []
    return [{ path: '.infrastructure.region', must: `is ${region}, but the function is in ${actual}` }]
  },
  ({ definition: { package_type, image_uri } }) =>
    needed(package_type === 'image' && image_uri === undefined, '.definition.image_uri', 'an image'),
  ({ definition: { package_type, s3_key } }) =>
    needed(package_type === 'zip' && s3_key === undefined, '.definition.s3_key', 'an archive'),
  ({ definition: { package_type }, infrastructure }) =>
    needed(
      package_type === 'zip' && infrastructure.s3_artifact_bucket === undefined,
      '.infrastructure.s3_artifact_bucket',
      'an archive',
    ),
  ...analysisRules,
  (block) =>
    block.analysis !== undefined && !stops(block)
      ? [
          {
            path: '.analysis',
            must: 'must be absent: the release stops nowhere; give deploy.strategy a bake time or pause_stages',
          },
        ]
      : [],
]

export const lambdaDeploy = { schema: LambdaDeploy, rules } as const satisfies DeployBlockDescription<LambdaDeploy>
