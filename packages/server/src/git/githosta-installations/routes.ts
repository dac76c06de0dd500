import { type GithostaInstallation, routes } from '@sluice/contract'
import { recordChange } from '../../identity/audit-events/record.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle, handleList, unfiltered } from '../../platform/http/handle.ts'
import { inUse, missing } from '../../platform/http/references.ts'
import type { GitHosts } from '../adapter/hosts.ts'
import { withApiErrors } from '../code-sources/api-errors.ts'
import { linkFor, type ReturnParts, requireSamePerson, returnTo, stateOf } from '../git-states/begin.ts'
import type { AuthorizationStates } from '../git-states/state.ts'
import { findInstallation, listInstallations, removeInstallation, upsertInstallation } from './store.ts'
import type { GithostaInstallationRow } from './tables.ts'

const resourceType = 'githosta-installation'
const callback = routes.gitHostACallback.path

type Parts = ReturnParts & { db: Db; hosts: GitHosts; states: AuthorizationStates }

export function serveGithostaInstallations(app: App, { db: processDb, hosts, states, ...parts }: Parts): void {
  const subject = { name: 'the app', url: hosts.a.url }

  handle(app, routes.claimInstallation, async ({ body: { data }, caller, request }) => {
    const state = stateOf(app, parts, { caller, request }, { purpose: 'claim', callback, ...data })
    const atHost = await withApiErrors(subject, () => hosts.a.claims.installUrl(states.begin(state)))
    return { data: { url: linkFor(caller, state, { host: 'a', atHost }) } }
  })

  handle(app, routes.gitHostACallback, async ({ query, request, reply }) => {
    const state = await states.end(processDb, query.state, 'claim')
    await requireSamePerson(app, request, state)
    const back = returnTo(app, parts, request, state)
    const installationId = state.githostaInstallationId ?? query.installation_id
    if (query.error !== undefined) throw denied(query.error_description ?? query.error)
    if (installationId === undefined) throw denied('No installation was chosen.')
    if (query.code === undefined) {
      // GitHub only sends the installation id here; the person signs in next.
      const next = states.begin({ ...state, githostaInstallationId: installationId })
      const url = await withApiErrors(subject, async () => hosts.a.claims.authorizeUrl(next, state.callbackUrl))
      reply.header('location', url)
      return
    }
    const { code } = query
    const claimed = await withApiErrors(subject, () => hosts.a.claims.claim(code, installationId, state.callbackUrl))
    if ('refused' in claimed) throw denied(claimed.refused)
    const { accountName } = claimed
    const { organizationId, membershipId } = state.actor
    await processDb.transaction(async (tx) => {
      const row = await upsertInstallation(tx, organizationId, {
        githostaInstallationId: installationId,
        accountName,
        claimedById: membershipId,
      })
      const details = { githostaInstallationId: installationId, accountName }
      const change = { action: 'githosta-installations.claim', resourceType, resourceId: row.id, details }
      await recordChange(tx, { caller: state.actor, request }, change)
    })
    reply.header('location', back)
  })

  handleList(app, routes.listGithostaInstallations, unfiltered(listInstallations), toWire)

  handle(app, routes.deleteGithostaInstallation, ({ params, caller, db, request }) =>
    db.transaction(async (tx) => {
      const row = await findInstallation(tx, caller.organizationId, params.id)
      if (!row) {
        throw missing('githostaInstallationNotFound', 'installation', params.id)
      }
      const users = await app.findDependents('githosta-installations', tx, row.organizationId, row.id)
      if (users.length > 0) throw inUse('githostaInstallationInUse', `installation in ${row.accountName}`, users)
      await removeInstallation(tx, caller.organizationId, row.id)
      const change = { action: 'githosta-installations.delete', resourceType, resourceId: row.id }
      await recordChange(tx, { caller, request }, change)
    }),
  )
}

const denied = (why: string) => new ApiError('gitAccessDenied', `Nothing was connected. ${why}`)

const toWire = (row: GithostaInstallationRow): GithostaInstallation => ({
  id: row.id,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  organizationId: row.organizationId,
  githostaInstallationId: row.githostaInstallationId,
  accountName: row.accountName,
  accessLost: row.accessLost,
})
