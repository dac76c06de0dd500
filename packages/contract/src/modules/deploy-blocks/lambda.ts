import { type Static, Type } from 'typebox'
import { AnalysisBlock, analysisRules } from './analysis.ts'
import { arn, closed, type DeployBlockDescription, deployBlock, type Rule, text, withDefault } from './description.ts'
import { bakeMinutes, trafficShiftParts } from './traffic-strategy.ts'

/** Stages at which the release of a function can pause: before each traffic shift, and after the last one. */
export const functionPauseStages = ['PRE_PRODUCTION_TRAFFIC_SHIFT', 'POST_PRODUCTION_TRAFFIC_SHIFT'] as const
export type FunctionPauseStage = (typeof functionPauseStages)[number]

const Infrastructure = Type.Object(
  {
    function_arn: arn(
      'a function, without a version or an alias',
      'lambda:[^:]+:\\d{12}:function:[^:]+$',
      'arn:aws:lambda:eu-west-1:123456789012:function:mailer',
    ),
    region: Type.Optional(text('Region of the function.')),
    alias_name: Type.String({
      pattern: '^(?!\\d+$)[a-zA-Z0-9-_]{1,128}$',
      title: 'letters, digits, - and _, and not a number',
      examples: ['live'],
      description: 'Alias through which the function is invoked.',
    }),
    s3_artifact_bucket: Type.Optional(text('Bucket of the archives.')),
  },
  closed,
)

const Definition = Type.Object(
  {
    package_type: Type.Enum(['zip', 'image'], { description: 'Package type of the function.' }),
    s3_key: Type.Optional(text('Key of the archive.')),
    image_uri: Type.Optional(text('Image URI.')),
    keep_latest_successful_deploy_count: Type.Optional(
      // The minimum covers the live release and the one that a rollback restores.
      Type.Integer({
        minimum: 2,
        description: 'Number of releases whose versions are retained. If absent, all are retained.',
      }),
    ),
  },
  { ...closed, description: 'Release.' },
)

const Strategy = Type.Object(
  {
    type: Type.Enum(['all_at_once', 'linear', 'canary'], { description: 'Deployment strategy.' }),
    // Defaults to 10, or to 0 for all_at_once.
    bake_time_in_minutes: Type.Optional(bakeMinutes),
    ...trafficShiftParts(functionPauseStages),
  },
  closed,
)

/** The `deploy` block of a function. */
export const LambdaDeploy = deployBlock('cloud:lambda', 1_800, {
  infrastructure: Infrastructure,
  definition: Definition,
  strategy: withDefault(Strategy, { type: 'all_at_once' }),
  analysis: Type.Optional(AnalysisBlock),
})
export type LambdaDeploy = Static<typeof LambdaDeploy>

/** Returns the bake time in minutes, after all invocations have moved. */
export const functionBakeMinutes = ({ type, bake_time_in_minutes }: LambdaDeploy['strategy']): number =>
  bake_time_in_minutes ?? (type === 'all_at_once' ? 0 : 10)

/** Returns whether the release has a pause or a bake time during which it can be analyzed. */
function stops({ strategy }: LambdaDeploy): boolean {
  const { type, linear, canary } = strategy
  if (strategy.pause_stages.length > 0 || functionBakeMinutes(strategy) > 0) return true
  if (type === 'linear') return linear.step_percentage < 100 && linear.step_bake_time_in_minutes > 0
  return type === 'canary' && canary.canary_percent < 100 && canary.canary_bake_time_in_minutes > 0
}

const needed = (isNeeded: boolean, path: string, what: string) =>
  isNeeded ? [{ path, must: `is required for ${what}` }] : []

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
            must: 'must be absent: the release has no pause or bake time; set a bake time or pause_stages in deploy.strategy',
          },
        ]
      : [],
]

export const lambdaDeploy = { schema: LambdaDeploy, rules } as const satisfies DeployBlockDescription<LambdaDeploy>
