import type { Cloud, CloudAccount } from '../adapter/access.ts'
import { readImages, readRepositories } from '../adapter/images.ts'
import { readNetworks } from '../adapter/networks.ts'
import type { ImageSeen, RepositorySeen } from '../facts/images.ts'
import type { ListSeen, NetworkSeen } from '../facts/networks.ts'
import { type LooksPace, type Seen, SharedLooks } from '../looks/shared-looks.ts'

/** Cloud resources that forms offer for an account: networks for module instances and images for releases. */
export type AccountOffers = {
  networks(account: CloudAccount, region: string): Promise<Seen<ListSeen<NetworkSeen>>>
  imageRepositories(account: CloudAccount, region: string): Promise<Seen<ListSeen<RepositorySeen>>>
  images(account: CloudAccount, region: string, repository: string): Promise<Seen<ListSeen<ImageSeen>>>
}

/**
 * Caching and rate limits for these reads, per process. A read takes at least four of the 20 requests per second that
 * EC2 allows in an account and region ("Request throttling for the Amazon EC2 API", read 2026-11).
 */
const pace = { freshMs: 20_000, apartMs: 500, mostWaitMs: 4_000 }

export function openAccountOffers(cloud: Cloud, waiting: Pick<LooksPace, 'now' | 'wait' | 'clock'>): AccountOffers {
  const networks = new SharedLooks<ListSeen<NetworkSeen>>({ ...pace, ...waiting })
  const repositories = new SharedLooks<ListSeen<RepositorySeen>>({ ...pace, ...waiting })
  const images = new SharedLooks<ListSeen<ImageSeen>>({ ...pace, ...waiting })
  return {
    networks: (account, region) =>
      networks.at(account.id, keyOf(account, region), () => readNetworks(cloud.clientsFor(account, region).networks)),
    imageRepositories: (account, region) =>
      repositories.at(account.id, keyOf(account, region), () =>
        readRepositories(cloud.clientsFor(account, region).images),
      ),
    images: (account, region, repository) =>
      images.at(account.id, keyOf(account, region, repository), () =>
        readImages(cloud.clientsFor(account, region).images, repository),
      ),
  }
}

/** Includes the role, so that an account connected with another role does not get cached resources of the old role. */
const keyOf = ({ organizationId, id, roleArn }: CloudAccount, ...place: string[]): string =>
  JSON.stringify([organizationId, id, roleArn, ...place])
