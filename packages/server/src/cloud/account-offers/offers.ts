import type { Cloud, CloudAccount } from '../adapter/access.ts'
import { readImages, readRepositories } from '../adapter/images.ts'
import { readNetworks } from '../adapter/networks.ts'
import type { ImageSeen, RepositorySeen } from '../facts/images.ts'
import type { ListSeen, NetworkSeen } from '../facts/networks.ts'
import { type LooksPace, type Seen, SharedLooks } from '../looks/shared-looks.ts'

/** What an account has for module instances to be placed in, and to release. */
export type AccountOffers = {
  networks(account: CloudAccount, region: string): Promise<Seen<ListSeen<NetworkSeen>>>
  imageRepositories(account: CloudAccount, region: string): Promise<Seen<ListSeen<RepositorySeen>>>
  images(account: CloudAccount, region: string, repository: string): Promise<Seen<ListSeen<ImageSeen>>>
}

/**
 * Networks change seldom, and images a few times an hour. A look takes four requests and more; of the cloud's 20 such
 * requests a second in an account and region ("Request throttling for the Amazon EC2 API", read 2026-11) most are left
 * to others. Each process keeps to this by itself.
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

/** Who connects an account anew, by another role, sees what that role sees. */
const keyOf = ({ organizationId, id, roleArn }: CloudAccount, ...place: string[]): string =>
  JSON.stringify([organizationId, id, roleArn, ...place])
