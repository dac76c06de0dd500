import { type GithostbConnection, routes } from '@sluice/contract'
import { recordChange } from '../../identity/audit-events/record.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle, handleList, unfiltered } from '../../platform/http/handle.ts'
import { inUse, missing, referenceNotFound } from '../../platform/http/references.ts'
import { GitAccessLost, GitHostPermanentError } from '../adapter/errors.ts'
import type { GitHosts } from '../adapter/hosts.ts'
import { withApiErrors } from '../code-sources/api-errors.ts'
import { linkFor, type ReturnParts, requireSamePerson, returnTo, stateOf } from '../git-states/begin.ts'
import type { AuthorizationStates, GitState } from '../git-states/state.ts'
import { findRegistered } from './client.ts'
import { findGithostbConnection, listConnections, removeConnection, upsertConnection } from './store.ts'
import type { GithostbConnectionRow } from './tables.ts'
import { sealTokens } from './tokens.ts'

const resourceType = 'githostb-connection'
const callback = routes.gitHostBCallback.path

type Parts = ReturnParts & { db: Db; hosts: GitHosts; gitSeal: Seal; states: AuthorizationStates }

export function serveGithostbConnections(app: App, parts: Parts): void {
  const { db: processDb, hosts, gitSeal: seal, states } = parts
  const subject = (url: string) => ({ name: 'the git host', url })

  handle(app, routes.createGithostbConnection, async ({ body: { data }, caller, db, request }) => {
    const { githostbInstanceId, returnUrl } = data
    return withApiErrors(subject(hosts.hostedB.url), async () => {
      const registered = await findRegistered(db, { seal, hosts }, caller.organizationId, githostbInstanceId ?? null)
      if (!registered) throw referenceNotFound('githostbInstanceId', 'instance', githostbInstanceId ?? '')
      const state: GitState = {
        ...stateOf(app, parts, { caller, request }, { purpose: 'connect', callback, returnUrl }),
        ...(githostbInstanceId !== undefined && { githostbInstanceId }),
      }
      const { callbackUrl, verifier } = state
      const wish = { state: states.begin(state), callbackUrl, verifier }
      const atHost = hosts.b(registered.baseUrl).authorizeUrl(registered.clientId, wish)
      return { data: { url: linkFor(caller, state, { host: 'b', githostbInstanceId, atHost }) } }
    })
  })

  handle(app, routes.gitHostBCallback, async ({ query, request, reply }) => {
    const state = await states.end(processDb, query.state, 'connect')
    await requireSamePerson(app, request, state)
    const back = returnTo(app, parts, request, state)
    const { code } = query
    if (code === undefined) throw denied(query.error_description ?? query.error ?? 'It sent no code.')
    const connected = await allowedAccess(state, code)
    const { organizationId } = state.actor
    await processDb.transaction(async (tx) => {
      const row = await upsertConnection(tx, organizationId, connected)
      const details = { baseUrl: row.baseUrl, userName: row.userName }
      const change = { action: 'githostb-connections.create', resourceType, resourceId: row.id, details }
      await recordChange(tx, { caller: state.actor, request }, change)
    })
    reply.header('location', back)
  })

  /** Exchanges the code for tokens and reads their user. */
  async function allowedAccess({ actor, githostbInstanceId, callbackUrl, verifier }: GitState, code: string) {
    const instanceId = githostbInstanceId ?? null
    return withApiErrors(subject(hosts.hostedB.url), async () => {
      const registered = await findRegistered(processDb, { seal, hosts }, actor.organizationId, instanceId)
      if (!registered) throw denied('The instance was deleted meanwhile.')
      const { baseUrl } = registered
      const host = hosts.b(baseUrl)
      try {
        const granted = await host.exchange(registered.openClient(), { code, callbackUrl, verifier })
        const { userId: hostUserId, userName } = await host.person(granted.accessToken)
        const { expiresAt } = granted
        const connectedById = actor.membershipId
        const { organizationId } = actor
        const sealedTokens = sealTokens(seal, { organizationId, baseUrl, hostUserId }, granted)
        return { instanceId, baseUrl, hostUserId, userName, connectedById, sealedTokens, expiresAt }
      } catch (error) {
        if (error instanceof GitAccessLost || error instanceof GitHostPermanentError) throw denied(error.message)
        throw error
      }
    })
  }

  handleList(app, routes.listGithostbConnections, unfiltered(listConnections), toWire)

  handle(app, routes.getGithostbConnection, async ({ params, caller, db }) => {
    const row = await findGithostbConnection(db, caller.organizationId, params.id)
    return { data: toWire(row ?? notFound(params.id)) }
  })

  handle(app, routes.deleteGithostbConnection, ({ params, caller, db, request }) =>
    db.transaction(async (tx) => {
      const row = (await findGithostbConnection(tx, caller.organizationId, params.id)) ?? notFound(params.id)
      const users = await app.findDependents('githostb-connections', tx, row.organizationId, row.id)
      if (users.length > 0) throw inUse('githostbConnectionInUse', `connection of ${row.userName}`, users)
      await removeConnection(tx, caller.organizationId, row.id)
      const change = { action: 'githostb-connections.delete', resourceType, resourceId: row.id }
      await recordChange(tx, { caller, request }, change)
    }),
  )
}

const denied = (why: string) => new ApiError('gitAccessDenied', `Nothing was connected. ${why}`)

function notFound(id: string): never {
  throw missing('githostbConnectionNotFound', 'connection', id)
}

const toWire = (row: GithostbConnectionRow): GithostbConnection => ({
  id: row.id,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  organizationId: row.organizationId,
  baseUrl: row.baseUrl,
  ...(row.instanceId !== null && { githostbInstanceId: row.instanceId }),
  userName: row.userName,
  accessLost: row.accessLost,
})
