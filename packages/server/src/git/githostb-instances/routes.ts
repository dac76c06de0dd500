import { type GithostbInstance, routes } from '@sluice/contract'
import { recordChange } from '../../identity/audit-events/record.ts'
import { createSealContext } from '../../platform/crypto/place.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { bodyInvalid } from '../../platform/http/input.ts'
import { originOf } from '../../platform/http/origin.ts'
import { inUse, missing } from '../../platform/http/references.ts'
import { rejectTaken } from '../../platform/http/taken.ts'
import { newId } from '../../platform/ids.ts'
import type { GitHosts } from '../adapter/hosts.ts'
import { findInstance, insertInstance, listInstances, removeInstance } from './store.ts'
import { type GithostbInstanceRow, sealedClientSecrets } from './tables.ts'

const resourceType = 'githostb-instance'

export function serveGithostbInstances(app: App, { hosts, gitSeal: seal }: { hosts: GitHosts; gitSeal: Seal }): void {
  handle(app, routes.createGithostbInstance, ({ body: { data }, caller, db, request }) => {
    const baseUrl = readBaseUrl(hosts, data.baseUrl)
    const { clientId, clientSecret } = data
    return rejectTaken('githostb_instances_once', taken(baseUrl), () =>
      db.transaction(async (tx) => {
        const { organizationId } = caller
        const id = newId('ghi')
        const place = createSealContext(sealedClientSecrets, organizationId, id, baseUrl)
        const given = { id, baseUrl, clientId, sealedClientSecret: seal.close(place, clientSecret) }
        const row = await insertInstance(tx, organizationId, given)
        const details = { baseUrl, clientId }
        const change = { action: 'githostb-instances.create', resourceType, resourceId: row.id, details }
        await recordChange(tx, { caller, request }, change)
        return { data: toWire(row, originOf(app, request)) }
      }),
    )
  })

  handle(app, routes.listGithostbInstances, async ({ query, caller, db, request }) => {
    const page = app.openPage(routes.listGithostbInstances, caller, query)
    const origin = originOf(app, request)
    return page.reply(await listInstances(db, caller.organizationId, page), (row) => toWire(row, origin))
  })

  handle(app, routes.getGithostbInstance, async ({ params, caller, db, request }) => {
    const row = await findInstance(db, caller.organizationId, params.id)
    return { data: toWire(row ?? notFound(params.id), originOf(app, request)) }
  })

  handle(app, routes.deleteGithostbInstance, ({ params, caller, db, request }) =>
    db.transaction(async (tx) => {
      const row = (await findInstance(tx, caller.organizationId, params.id)) ?? notFound(params.id)
      const users = await app.findDependents('githostb-instances', tx, row.organizationId, row.id)
      if (users.length > 0) throw inUse('githostbInstanceInUse', `instance ${row.baseUrl}`, users)
      await removeInstance(tx, caller.organizationId, row.id)
      const change = { action: 'githostb-instances.delete', resourceType, resourceId: row.id }
      await recordChange(tx, { caller, request }, change)
    }),
  )
}

/** Parses the base URL of an instance: an HTTPS origin, because secrets are sent there, and not the public host. */
function readBaseUrl({ names, allowsPlainHttp }: GitHosts, text: string): string {
  const url = URL.parse(text)
  const isAddress = url && url.pathname === '/' && url.search === '' && url.hash === '' && url.username === ''
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && allowsPlainHttp(url.hostname))
  if (!isAddress || !isSafe) {
    throw bodyInvalid(['$.data.baseUrl: expected an https address without a path, such as https://git.example.com'])
  }
  if (Object.values(names).includes(url.host)) {
    throw bodyInvalid([`$.data.baseUrl: expected a server of your own; ${url.host} is public`])
  }
  return url.origin
}

const taken = (baseUrl: string) => () =>
  new ApiError(
    'githostbInstanceTaken',
    `The instance ${baseUrl} is already registered. Delete it to register it again.`,
  )

function notFound(id: string): never {
  throw missing('githostbInstanceNotFound', 'instance', id)
}

const toWire = (row: GithostbInstanceRow, ownOrigin: string): GithostbInstance => ({
  id: row.id,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  organizationId: row.organizationId,
  baseUrl: row.baseUrl,
  clientId: row.clientId,
  callbackUrl: ownOrigin + routes.gitHostBCallback.path,
})
