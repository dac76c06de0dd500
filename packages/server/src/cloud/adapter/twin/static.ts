import { present } from '../../../platform/present.ts'
import type { DistributionRef } from '../../facts/static.ts'
import type { StaticTwin } from '../../facts/twin.ts'
import type { CloudClients } from '../access.ts'
import { readDistribution } from '../content-network.ts'
import { readActive } from '../key-value-store.ts'
import { countFiles } from '../storage.ts'

/** Release of a static site to simulate. */
export type SiteTwinRequest = {
  region: string
  bucket: string
  prefix: string
  distributions: readonly DistributionRef[]
  keyValueStoreArn: string
}

/** Copies a static site, without its files, for the simulation. Makes only read calls. */
export async function readStaticTwin(
  { storage, contentNetwork, keyValues }: Pick<CloudClients, 'storage' | 'contentNetwork' | 'keyValues'>,
  { region, bucket, prefix, distributions, keyValueStoreArn }: SiteTwinRequest,
  now: Date,
): Promise<StaticTwin> {
  const [fileCount, { active }, read] = await Promise.all([
    countFiles(storage, bucket, prefix),
    readActive(keyValues, keyValueStoreArn),
    Promise.all(distributions.map((one) => readDistribution(contentNetwork, one))),
  ])
  return {
    region,
    accountNumber: keyValueStoreArn.split(':')[4] ?? '',
    readAt: now.toISOString(),
    hasFiles: fileCount > 0,
    ...present({ active }),
    distributions: read.map(({ shown: { distributionId: id, arn, domainName = '' }, compresses }) => ({
      id,
      arn,
      domainName,
      compresses,
    })),
    assumptions: [],
  }
}
