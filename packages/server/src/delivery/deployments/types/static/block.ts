import type { StaticDeploy } from '@sluice/contract'
import type { DistributionRef } from '../../../../cloud/facts/static.ts'
import { present } from '../../../../platform/present.ts'
import type { ReleaseWithAccount } from '../deployment-type.ts'
import type { StaticState } from './state.ts'

/** Returns the release of a deploy block, and its account. */
export function releaseOf({ infrastructure, definition, timeout }: StaticDeploy): ReleaseWithAccount<StaticState> {
  const [primary = '', ...more] = infrastructure.cdn_distribution_arns
  // Format: arn:PARTITION:cloudfront::ACCOUNT:distribution/ID
  const [, , , , accountNumber = ''] = primary.split(':')
  return {
    accountNumber,
    release: present({
      type: 'cloud:static' as const,
      region: infrastructure.s3_region,
      bucket: infrastructure.s3_bucket,
      prefix: definition.s3_directory,
      distributions: [refOf(primary), ...more.map(refOf)] as [DistributionRef, ...DistributionRef[]],
      keyValueStoreArn: infrastructure.cdn_keyvaluestore_arn,
      invalidationPaths: [...new Set(definition.cdn_invalidation_paths)],
      keepReleases: definition.keep_latest_successful_deploy_count,
      timeoutSeconds: timeout,
    }),
  }
}

const refOf = (arn: string): DistributionRef => ({ id: arn.split('/').at(-1) ?? arn, arn })
