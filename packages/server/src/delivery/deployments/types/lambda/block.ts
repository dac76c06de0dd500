import { functionBakeMinutes, type LambdaDeploy } from '@sluice/contract'
import type { CodeSource } from '../../../../cloud/facts/lambda.ts'
import { present } from '../../../../platform/present.ts'
import { analysisOf } from '../../analysis/block.ts'
import type { ReleaseWithAccount } from '../deployment-type.ts'
import { pausesOf, stepsOf } from '../traffic-shift.ts'
import type { LambdaStrategy } from './release.ts'
import type { LambdaState } from './state.ts'

/** Returns the release of a deploy block, and its account. */
export function releaseOf(deploy: LambdaDeploy): ReleaseWithAccount<LambdaState> {
  const { infrastructure, analysis } = deploy
  // Format: arn:PARTITION:lambda:REGION:ACCOUNT:function:NAME
  const [, , , region = '', accountNumber = ''] = infrastructure.function_arn.split(':')
  return {
    accountNumber,
    release: present({
      type: 'cloud:lambda' as const,
      region,
      functionArn: infrastructure.function_arn,
      aliasName: infrastructure.alias_name,
      code: codeOf(deploy),
      strategy: strategyOf(deploy.strategy),
      analysis: analysis && analysisOf(analysis),
      keepReleases: deploy.definition.keep_latest_successful_deploy_count,
      timeoutSeconds: deploy.timeout,
    }),
  }
}

/** Returns the code. The schema of the block guarantees that the fields of its package type are present. */
function codeOf({ infrastructure, definition }: LambdaDeploy): CodeSource {
  const { package_type, s3_key = '', image_uri = '' } = definition
  if (package_type === 'image') return { imageUri: image_uri }
  return { s3Bucket: infrastructure.s3_artifact_bucket ?? '', s3Key: s3_key }
}

const strategyOf = (strategy: LambdaDeploy['strategy']): LambdaStrategy => ({
  type: strategy.type,
  bakeTimeInMinutes: functionBakeMinutes(strategy),
  ...stepsOf(strategy),
  pauseStages: pausesOf(strategy),
})
