import type { Cloud, CloudAccount } from '../adapter/access.ts'
import { readImages, readRepositories } from '../adapter/images.ts'
import { readNetworks } from '../adapter/networks.ts'
import type { ObservedImage, ObservedRepository } from '../facts/images.ts'
import type { ObservedList, ObservedNetwork } from '../facts/networks.ts'
import { ObservationCache, type ObservationCacheOptions, type Observed } from '../observations/observation-cache.ts'

/** Cloud resources that forms offer for an account: networks for module instances and images for releases. */
export type AccountResources = {
  networks(account: CloudAccount, region: string): Promise<Observed<ObservedList<ObservedNetwork>>>
  imageRepositories(account: CloudAccount, region: string): Promise<Observed<ObservedList<ObservedRepository>>>
  images(account: CloudAccount, region: string, repository: string): Promise<Observed<ObservedList<ObservedImage>>>
}

/**
 * Caching and rate limits for these reads, per process. A read takes at least four of the 20 requests per second that
 * EC2 allows in an account and region ("Request throttling for the Amazon EC2 API", read 2026-11).
 */
const pace = { cacheTtlMs: 20_000, minIntervalMs: 500, maxWaitMs: 4_000 }

export function openAccountResources(
  cloud: Cloud,
  waiting: Pick<ObservationCacheOptions, 'now' | 'wait' | 'clock'>,
): AccountResources {
  const networks = new ObservationCache<ObservedList<ObservedNetwork>>({ ...pace, ...waiting })
  const repositories = new ObservationCache<ObservedList<ObservedRepository>>({ ...pace, ...waiting })
  const images = new ObservationCache<ObservedList<ObservedImage>>({ ...pace, ...waiting })
  return {
    networks: (account, region) =>
      networks.get(account.id, keyOf(account, region), () => readNetworks(cloud.clientsFor(account, region).networks)),
    imageRepositories: (account, region) =>
      repositories.get(account.id, keyOf(account, region), () =>
        readRepositories(cloud.clientsFor(account, region).images),
      ),
    images: (account, region, repository) =>
      images.get(account.id, keyOf(account, region, repository), () =>
        readImages(cloud.clientsFor(account, region).images, repository),
      ),
  }
}

/** Includes the role, so that an account connected with another role does not get cached resources of the old role. */
const keyOf = ({ organizationId, id, roleArn }: CloudAccount, ...place: string[]): string =>
  JSON.stringify([organizationId, id, roleArn, ...place])
