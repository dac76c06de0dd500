import { type GroupTeam, type IdentityProvider, routes } from '@sluice/contract'
import type { Seal } from '../../platform/crypto/seal.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { originOf } from '../../platform/http/origin.ts'
import { missing, referenceNotFound } from '../../platform/http/references.ts'
import { rejectTaken } from '../../platform/http/taken.ts'
import { newId } from '../../platform/ids.ts'
import { previousValues, recordChange } from '../audit-events/record.ts'
import { backChannelLogoutPath, callbackPath } from '../single-sign-on/paths.ts'
import { removeByGroups } from '../teams/members.ts'
import { shareLockTeams } from '../teams/store.ts'
import {
  findIdentityProvider,
  type IdentityProviderRow,
  insertIdentityProvider,
  listIdentityProviders,
  onceIndex,
  removeIdentityProvider,
  secretPlace,
  updateIdentityProvider,
} from './store.ts'

const resourceType = 'identity-provider'

export function serveIdentityProviders(app: App, { identitySeal: seal }: { identitySeal: Seal }): void {
  handle(app, routes.createIdentityProvider, async ({ body: { data }, caller, db, request }) => {
    const { clientSecret, groupsClaim = 'groups', groupRoles = [], groupTeams = [], defaultRole = null, ...rest } = data
    const given = { ...rest, groupsClaim, groupRoles, groupTeams, defaultRole }
    const create = () =>
      db.transaction(async (tx) => {
        const { organizationId } = caller
        await expectTeams(tx, organizationId, groupTeams)
        const id = newId('idp')
        const sealedClientSecret = seal.close(secretPlace({ id, organizationId, ...given }), clientSecret)
        const row = await insertIdentityProvider(tx, { id, organizationId, ...given, sealedClientSecret })
        const change = { action: 'identity-providers.create', resourceType, resourceId: row.id, details: given }
        await recordChange(tx, { caller, request }, change)
        return { data: toWire(row, originOf(app, request)) }
      })
    return rejectTaken(onceIndex, taken, create)
  })

  handle(app, routes.listIdentityProviders, async ({ query, caller, db, request }) => {
    const page = app.openPage(routes.listIdentityProviders, caller, query)
    const found = await listIdentityProviders(db, caller.organizationId, page)
    return page.reply(found, (row) => toWire(row, originOf(app, request)))
  })

  handle(app, routes.getIdentityProvider, async ({ params, caller, db, request }) => {
    const row = await findIdentityProvider(db, caller.organizationId, params.id)
    if (!row) throw notFound(params.id)
    return { data: toWire(row, originOf(app, request)) }
  })

  handle(app, routes.updateIdentityProvider, async ({ params, body: { data }, caller, db, request, afterwards }) => {
    const { clientSecret, ...rest } = data
    const { organizationId } = caller
    return db.transaction(async (tx) => {
      const before = await findIdentityProvider(tx, organizationId, params.id)
      if (!before) throw notFound(params.id)
      if (rest.groupTeams) await expectTeams(tx, organizationId, rest.groupTeams)
      const sealed =
        clientSecret === undefined ? {} : { sealedClientSecret: seal.close(secretPlace(before), clientSecret) }
      const row = await updateIdentityProvider(tx, organizationId, params.id, { ...rest, ...sealed })
      if (!row) throw notFound(params.id)
      const kept = row.groupTeams.map(({ teamId }) => teamId)
      const takenOut = await removeByGroups(tx, { organizationId, providerId: row.id }, kept)
      afterwards(() => app.callers.forget())
      await recordChange(
        tx,
        { caller, request },
        {
          action: 'identity-providers.update',
          resourceType,
          resourceId: row.id,
          details: {
            ...rest,
            ...(clientSecret !== undefined && { isSecretChanged: true }),
            ...(takenOut.length > 0 && { takenOutOfTeams: takenOut.length }),
          },
          before: previousValues(before, rest),
        },
      )
      return { data: toWire(row, originOf(app, request)) }
    })
  })

  handle(app, routes.deleteIdentityProvider, async ({ params, caller, db, request }) => {
    await db.transaction(async (tx) => {
      const row = await removeIdentityProvider(tx, caller.organizationId, params.id)
      if (!row) throw notFound(params.id)
      const { name, issuer } = row
      const change = { action: 'identity-providers.delete', resourceType, resourceId: row.id, before: { name, issuer } }
      await recordChange(tx, { caller, request }, change)
    })
    app.callers.forget()
  })
}

async function expectTeams(tx: Db, organizationId: string, groupTeams: readonly GroupTeam[]): Promise<void> {
  const ids = groupTeams.map(({ teamId }) => teamId)
  const held = await shareLockTeams(tx, organizationId, ids)
  const unknown = ids.find((id) => !held.includes(id))
  if (unknown !== undefined) throw referenceNotFound('groupTeams', 'team', unknown)
}

const taken = () =>
  new ApiError(
    'identityProviderTaken',
    'The organization already has an identity provider. Change it, or delete it first.',
  )

const notFound = (id: string) => missing('identityProviderNotFound', 'identity provider', id)

const toWire = (row: IdentityProviderRow, origin: string): IdentityProvider => ({
  id: row.id,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  organizationId: row.organizationId,
  name: row.name,
  issuer: row.issuer,
  clientId: row.clientId,
  groupsClaim: row.groupsClaim,
  groupRoles: row.groupRoles,
  groupTeams: row.groupTeams,
  ...(row.defaultRole !== null && { defaultRole: row.defaultRole }),
  callbackUrl: origin + callbackPath(row.id),
  backChannelLogoutUrl: origin + backChannelLogoutPath(row.id),
})
