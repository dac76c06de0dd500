import {
  type CloudFrontClient,
  CreateInvalidationCommand,
  GetDistributionCommand,
  GetInvalidationCommand,
} from '@aws-sdk/client-cloudfront'
import type { SiteDistribution } from '@sluice/contract'
import { present } from '../../platform/present.ts'
import type { DistributionRef, InvalidationFacts } from '../facts/static.ts'
import { callCloud } from './cloud-call.ts'

/** Reads a distribution and whether it compresses responses. */
export async function readDistribution(
  cloudFront: CloudFrontClient,
  { id, arn }: DistributionRef,
): Promise<{ shown: SiteDistribution; compresses: boolean }> {
  const { Distribution } = await callCloud(() => cloudFront.send(new GetDistributionCommand({ Id: id })))
  return {
    shown: present({ distributionId: id, arn, domainName: Distribution?.DomainName, status: Distribution?.Status }),
    compresses: Distribution?.DistributionConfig?.DefaultCacheBehavior?.Compress === true,
  }
}

/** Invalidates `paths`. Repeating the request with the same reference and paths returns the same invalidation. */
export async function createInvalidation(
  cloudFront: CloudFrontClient,
  distributionId: string,
  reference: string,
  paths: string[],
): Promise<InvalidationFacts> {
  const command = new CreateInvalidationCommand({
    DistributionId: distributionId,
    InvalidationBatch: {
      CallerReference: reference,
      Paths: { Quantity: paths.length, Items: paths.map(invalidationPath) },
    },
  })
  const { Invalidation } = await callCloud(() => cloudFront.send(command), 'CreateInvalidation')
  return { distributionId, invalidationId: Invalidation?.Id ?? '', status: Invalidation?.Status ?? 'InProgress' }
}

/**
 * Percent-encodes non-ASCII characters and the unsafe characters of RFC 1738 in an invalidation path, as CloudFront
 * requires ("What you need to know when invalidating files", read 2026-11). Existing escapes stay unchanged.
 */
export const invalidationPath = (path: string): string =>
  path.replaceAll(/[^\x21-\x7e]+|[<>"#{}|\\^[\]`]|%(?![0-9A-Fa-f]{2})/gu, encodeURIComponent)

/** Reads the state of an invalidation. */
export async function readInvalidation(
  cloudFront: CloudFrontClient,
  { distributionId, invalidationId }: Pick<InvalidationFacts, 'distributionId' | 'invalidationId'>,
): Promise<InvalidationFacts> {
  const command = new GetInvalidationCommand({ DistributionId: distributionId, Id: invalidationId })
  const { Invalidation } = await callCloud(() => cloudFront.send(command))
  return { distributionId, invalidationId, status: Invalidation?.Status ?? 'InProgress' }
}
