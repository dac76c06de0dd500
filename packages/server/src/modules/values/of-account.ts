import { routes, type ValueOption } from '@sluice/contract'
import type { AccountResources } from '../../cloud/account-resources/resources.ts'
import type { CloudAccount } from '../../cloud/adapter/access.ts'
import { CloudPermanentError, CloudTransientError } from '../../cloud/adapter/cloud-call.ts'
import { findCloudConnection, findConnectionByNumber } from '../../cloud/cloud-accounts/connection.ts'
import { type ObservedImage, registryPlace } from '../../cloud/facts/images.ts'
import type { ObservedNetwork, ObservedSubnet } from '../../cloud/facts/networks.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { cloudAccountOptions } from './store.ts'

type Parts = { accountOffers: AccountResources }

/** Registers the routes for options from a cloud account. There are none without a connected account and a region. */
export function serveAccountValues(app: App, { accountOffers }: Parts): void {
  const networksIn = async (db: Db, organizationId: string, query: { cloudAccountId?: string; region?: string }) => {
    const { cloudAccountId, region } = query
    const account = await accountIn(db, organizationId, cloudAccountId)
    if (!account || !region) return []
    return (await asking(() => accountOffers.networks(account, region))).value.all
  }

  handle(app, routes.listNetworkValues, async ({ query, caller, db }) => ({
    data: (await networksIn(db, caller.organizationId, query)).map(networkOption),
  }))

  handle(app, routes.listSubnetValues, async ({ query, caller, db }) => {
    const networks = wanted(await networksIn(db, caller.organizationId, query), query.networkId)
    const fits = ({ isPublic }: ObservedSubnet) =>
      query.access === undefined || isPublic === (query.access === 'public')
    return {
      data: networks.flatMap((network) =>
        network.subnets.filter(fits).map((subnet) => subnetOption(subnet, network, networks.length > 1)),
      ),
    }
  })

  handle(app, routes.listSecurityGroupValues, async ({ query, caller, db }) => {
    const networks = wanted(await networksIn(db, caller.organizationId, query), query.networkId)
    const data = networks.flatMap((network) =>
      network.securityGroups.map(({ id, name, description }) => {
        const where = networks.length > 1 ? ` in ${nameOf(network)}` : ''
        return { value: id, label: `${name} (${id})${where}`, ...(description !== '' && { description }) }
      }),
    )
    return { data }
  })

  handle(app, routes.listImageRepositoryValues, async ({ query: { cloudAccountId, region }, caller, db }) => {
    const account = await accountIn(db, caller.organizationId, cloudAccountId)
    if (!account || !region) return { data: [] }
    const { value } = await asking(() => accountOffers.imageRepositories(account, region))
    return { data: value.all.map(({ name, address }) => ({ value: address, label: name, description: address })) }
  })

  handle(app, routes.listImageValues, async ({ query: { repository = '' }, caller, db }) => {
    const place = registryPlace(repository)
    const account = place && (await findConnectionByNumber(db, caller.organizationId, place.accountNumber))
    if (!account) return { data: [] }
    const { value } = await asking(() => accountOffers.images(account, place.region, place.repository))
    return { data: value.all.flatMap(tagOptions) }
  })
}

/** Returns the account, by default the first one, like `$values:first` of an input. */
async function accountIn(db: Db, organizationId: string, id: string | undefined): Promise<CloudAccount | undefined> {
  const chosen = id ?? (await cloudAccountOptions(db, organizationId))[0]?.value
  return chosen === undefined ? undefined : findCloudConnection(db, organizationId, String(chosen))
}

const wanted = (networks: readonly ObservedNetwork[], networkId: string | undefined): readonly ObservedNetwork[] =>
  networkId ? networks.filter(({ id }) => id === networkId) : networks

const nameOf = ({ name, id }: ObservedNetwork): string => name ?? id

const networkOption = ({ id, name, cidr, isDefault }: ObservedNetwork): ValueOption => ({
  value: id,
  label: `${name ? `${name} (${id})` : id}, ${cidr}${isDefault ? ', default' : ''}`,
})

function subnetOption(subnet: ObservedSubnet, network: ObservedNetwork, namesNetwork: boolean): ValueOption {
  const { id, name, zone, cidr, isPublic, availableIpAddressCount } = subnet
  const reach = isPublic === undefined ? [] : [isPublic ? 'public' : 'private']
  const where = namesNetwork ? ` in ${nameOf(network)}` : ''
  return {
    value: id,
    label: [`${name ? `${name} (${id})` : id}${where}`, zone, ...reach].join(', '),
    description: `${cidr}, ${availableIpAddressCount} addresses free`,
  }
}

/** Returns an option for each tag of an image. */
const tagOptions = ({ digest, tags, pushedAt }: ObservedImage): ValueOption[] =>
  tags.map((tag) => ({
    value: tag,
    label: pushedAt ? `${tag}, pushed ${pushedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC` : tag,
    description: digest,
  }))

/** Turns cloud errors into API errors that the form displays. Values can still be typed in. */
async function asking<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof CloudPermanentError) {
      const message = `The cloud provider did not return the choices. Its error: ${error.reason}: ${error.message}`
      throw new ApiError('accountOffersRefused', message)
    }
    if (!(error instanceof CloudTransientError)) throw error
    throw new ApiError(
      'cloudUnreachable',
      `The cloud provider cannot be reached. Try again later. Its error: ${error.message}`,
    )
  }
}
