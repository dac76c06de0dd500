import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { CodeSource } from '../../../cloud/facts/lambda.ts'
import type { PauseStage } from '../../../cloud/facts/pause-stage.ts'
import { faultsOf } from '../../../platform/http/faults.ts'
import { present } from '../../../platform/present.ts'
import { AnalysisBlock, analysisOf, faultsOfAnalysis } from '../analysis/block.ts'
import type { ReadBlock } from '../kind.ts'
import { trafficShiftParts } from '../traffic-strategy.ts'
import type { LambdaStrategy } from './release.ts'
import type { LambdaStanding } from './standing.ts'
import { bakeMinutes, functionPauseStages } from './track.ts'

const closed = { additionalProperties: false } as const
const Text = Type.String({ minLength: 1 })
const TextOrNull = Type.Optional(Type.Union([Text, Type.Null()]))

const Strategy = Type.Object(
  { type: Type.Enum(['all_at_once', 'linear', 'canary']), ...trafficShiftParts(functionPauseStages) },
  closed,
)

/** The `deploy` block of a function, rendered. Keys are those of module authors. */
export const LambdaDeploy = Type.Object(
  {
    type: Type.Literal('cloud:lambda'),
    inputs: Type.Optional(Type.Array(Type.Unknown())),
    timeout: Type.Optional(Type.Integer({ minimum: 60, maximum: 2_592_000 })),
    concurrency: Type.Optional(Type.Unknown()),
    infrastructure: Type.Object(
      { function_arn: Text, region: TextOrNull, alias_name: Text, s3_artifact_bucket: TextOrNull },
      closed,
    ),
    definition: Type.Object(
      { package_type: Type.Enum(['zip', 'image']), s3_key: TextOrNull, image_uri: TextOrNull },
      closed,
    ),
    strategy: Type.Optional(Type.Union([Strategy, Type.Null()])),
    analysis: Type.Optional(Type.Union([AnalysisBlock, Type.Null()])),
  },
  closed,
)
type LambdaDeploy = Static<typeof LambdaDeploy>

// Compiled, checking takes a tenth of the time.
const reader = Compile(LambdaDeploy)

/** Turns a rendered deploy block into the release, or tells everything that is wrong with it, each with its path. */
export function readLambdaBlock(rendered: unknown): ReadBlock<LambdaStanding> {
  const faults = faultsOf(reader, rendered, 'deploy')
  if (faults.length > 0) return { faults }
  const { infrastructure, timeout, analysis, ...deploy } = rendered as LambdaDeploy
  const place = placeOf(infrastructure)
  const code = codeOf(infrastructure, deploy.definition)
  const strategy = strategyOf(deploy.strategy ?? { type: 'all_at_once' })
  const wrong = [
    ...('wrong' in place ? place.wrong : []),
    ...('wrong' in code ? code.wrong : []),
    ...(analysis ? faultsOfAnalysis(analysis) : []),
    ...(analysis && isWithoutStop(strategy) ? [nothingToAnalyse] : []),
  ]
  if ('wrong' in place || 'wrong' in code || wrong.length > 0) return { faults: wrong }
  return {
    accountNumber: place.accountNumber,
    release: present({
      type: 'cloud:lambda' as const,
      region: place.region,
      functionArn: infrastructure.function_arn,
      aliasName: infrastructure.alias_name,
      code,
      strategy,
      analysis: analysis ? analysisOf(analysis) : undefined,
      timeoutSeconds: timeout ?? 1_800,
    }),
  }
}

const isWithoutStop = (strategy: LambdaStrategy): boolean =>
  strategy.pauseStages.length === 0 && bakeMinutes(strategy) === 0

const nothingToAnalyse =
  'deploy.analysis must be absent: the release stops nowhere; give deploy.strategy a bake time or pause_stages'

/** `arn:aws:lambda:REGION:ACCOUNT:function:NAME` */
function placeOf({ function_arn, region: said, alias_name }: LambdaDeploy['infrastructure']) {
  const [, region, accountNumber] = /^arn:[^:]+:lambda:([^:]+):(\d{12}):function:[^:]+$/.exec(function_arn) ?? []
  const isAlias = /^(?!\d+$)[a-zA-Z0-9-_]{1,128}$/.test(alias_name)
  const wrong = [
    ...(region
      ? []
      : ['deploy.infrastructure.function_arn must be the ARN of a function, without a version or an alias']),
    ...(region && said && said !== region
      ? [`deploy.infrastructure.region is ${said}, but the function is in ${region}`]
      : []),
    ...(isAlias ? [] : ['deploy.infrastructure.alias_name must be letters, digits, - and _, and not a number']),
  ]
  return region && accountNumber && wrong.length === 0 ? { region, accountNumber } : { wrong }
}

function codeOf(
  { s3_artifact_bucket }: LambdaDeploy['infrastructure'],
  { package_type, s3_key, image_uri }: LambdaDeploy['definition'],
): CodeSource | { wrong: string[] } {
  if (package_type === 'image') {
    return image_uri ? { imageUri: image_uri } : { wrong: ['deploy.definition.image_uri is needed for an image'] }
  }
  if (s3_key && s3_artifact_bucket) return { s3Bucket: s3_artifact_bucket, s3Key: s3_key }
  return {
    wrong: [
      ...(s3_key ? [] : ['deploy.definition.s3_key is needed for an archive']),
      ...(s3_artifact_bucket ? [] : ['deploy.infrastructure.s3_artifact_bucket is needed for an archive']),
    ],
  }
}

/** The language's defaults where the author says nothing, as for container services. Minutes and percent. */
function strategyOf(given: Static<typeof Strategy>): LambdaStrategy {
  const { type, linear, canary } = given
  return present({
    type,
    bakeTimeInMinutes: given.bake_time_in_minutes ?? (type === 'all_at_once' ? 0 : 10),
    linear:
      type === 'linear'
        ? { stepPercent: linear?.step_percentage ?? 20, stepBakeTimeInMinutes: linear?.step_bake_time_in_minutes ?? 5 }
        : undefined,
    canary:
      type === 'canary'
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
