import { failures, type ObservationMeta, routes } from '@sluice/contract'
import type { Db } from '../../platform/db/open.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { missing } from '../../platform/http/references.ts'
import type { CloudAccount } from '../adapter/access.ts'
import { findCloudConnection } from '../cloud-accounts/connection.ts'
import { findCloudAccount } from '../cloud-accounts/store.ts'
import type { ObservedList } from '../facts/networks.ts'
import type { Observed } from '../observations/observation-cache.ts'
import { NotConnected, valueOrError } from '../observations/observation-errors.ts'
import type { AccountResources } from './resources.ts'

type Parts = { accountOffers: AccountResources; clock: () => Date }

/** Registers the routes that list an account's networks and container images. */
export function serveAccountResources(app: App, { accountOffers, clock }: Parts): void {
  handle(app, routes.listNetworks, async ({ params: { id }, query: { region }, caller: { organizationId }, db }) =>
    listed(await accountOf(db, organizationId, id), (account) => accountOffers.networks(account, region)),
  )

  handle(
    app,
    routes.listImageRepositories,
    async ({ params: { id }, query: { region }, caller: { organizationId }, db }) =>
      listed(await accountOf(db, organizationId, id), (account) => accountOffers.imageRepositories(account, region)),
  )

  handle(app, routes.listImages, async ({ params: { id }, query, caller: { organizationId }, db }) => {
    const { region, repository } = query
    const account = await accountOf(db, organizationId, id)
    const { data, meta } = await listed(account, (present) => accountOffers.images(present, region, repository))
    const shown = data.map(({ pushedAt, ...image }) => ({
      ...image,
      ...(pushedAt && { pushedAt: pushedAt.toISOString() }),
    }))
    return { data: shown, meta }
  })

  /** Returns the list with its observation metadata, or an empty list with the reason. */
  async function listed<T>(
    account: CloudAccount | string,
    look: (account: CloudAccount) => Promise<Observed<ObservedList<T>>>,
  ): Promise<{ data: T[]; meta: ObservationMeta }> {
    const found = await valueOrError(failures.resourcesNotShown.code, async () => {
      if (typeof account === 'string') throw new NotConnected(account)
      return look(account)
    })
    if ('error' in found) return { data: [], meta: { observedAt: clock().toISOString(), isComplete: true, ...found } }
    const { at, value } = found.value
    return { data: value.all, meta: { observedAt: at.toISOString(), isComplete: value.isComplete } }
  }
}

/** Returns the connected account, or its id if the account is not connected. */
async function accountOf(db: Db, organizationId: string, id: string): Promise<CloudAccount | string> {
  if (!(await findCloudAccount(db, organizationId, id))) throw missing('cloudAccountNotFound', 'cloud account', id)
  return (await findCloudConnection(db, organizationId, id)) ?? id
}
