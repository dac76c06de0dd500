import { type ApiKey, routes } from '@sluice/contract'
import { newApiKey, storedApiKey } from '../../platform/auth/api-key.ts'
import { type Caller, mayDo } from '../../platform/auth/caller.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { bodyInvalid } from '../../platform/http/input.ts'
import { referenceNotFound } from '../../platform/http/references.ts'
import { recordChange } from '../audit-events/record.ts'
import { findServiceAccount } from '../service-accounts/store.ts'
import {
  type ApiKeyRow,
  findApiKey,
  insertApiKey,
  type KeyHolder,
  type KeyScope,
  listApiKeys,
  revokeApiKey,
} from './store.ts'

const resourceType = 'api-key'

export function serveApiKeys(app: App, { clock }: { clock: () => Date }): void {
  handle(app, routes.createApiKey, async ({ body: { data }, caller, db, request }) => {
    rejectShortLived(caller)
    const expiresAt = data.expiresAt === undefined ? null : futureMoment(data.expiresAt, clock())
    const holder = await holderOf(db, caller, data.serviceAccountId)
    const token = newApiKey()
    return db.transaction(async (tx) => {
      const { organizationId } = caller
      const key = await insertApiKey(tx, {
        organizationId,
        ...holder,
        name: data.name,
        expiresAt,
        ...storedApiKey(token),
      })
      const change = { action: 'api-keys.create', resourceType, resourceId: key.id, details: data }
      await recordChange(tx, { caller, request }, change)
      return { data: { ...toWire(key), token } }
    })
  })

  handle(app, routes.listApiKeys, async ({ query, caller, db }) => {
    const page = app.openPage(routes.listApiKeys, caller, query)
    return page.reply(await listApiKeys(db, scopeOf(caller), query, page), toWire)
  })

  handle(app, routes.getApiKey, async ({ params, caller, db }) => {
    const key = await findApiKey(db, scopeOf(caller), params.id)
    if (!key) throw notFound(params.id)
    return { data: toWire(key) }
  })

  handle(app, routes.deleteApiKey, async ({ params, caller, db, request }) => {
    await db.transaction(async (tx) => {
      const key = await revokeApiKey(tx, scopeOf(caller), params.id)
      if (!key) throw notFound(params.id)
      const change = { action: 'api-keys.delete', resourceType, resourceId: key.id, details: { name: key.name } }
      await recordChange(tx, { caller, request }, change)
    })
    app.callers.forget()
  })
}

/** Rejects callers with an ID token, because a key would outlive their CI job. */
function rejectShortLived({ identityType }: Caller): void {
  if (identityType === 'ID_TOKEN') {
    throw new ApiError(
      'forbidden',
      'A caller with a token of an external issuer cannot create keys. Use an API key, or sign in.',
    )
  }
}

const managesAll = (caller: Caller) => mayDo(caller, 'api-keys:write')

const scopeOf = (caller: Caller): KeyScope => ({
  organizationId: caller.organizationId,
  holderId: managesAll(caller) ? undefined : caller.membershipId,
})

/** Returns the principal for which the new key acts. */
async function holderOf(db: Db, caller: Caller, serviceAccountId: string | undefined): Promise<KeyHolder> {
  const { principalType, membershipId, organizationId, role } = caller
  const own = principalType === 'MEMBERSHIP' ? { membershipId } : { serviceAccountId: membershipId }
  if (serviceAccountId === undefined || serviceAccountId === own.serviceAccountId) return own
  if (!managesAll(caller)) {
    throw new ApiError('forbidden', `The role ${role} lacks the permission api-keys:write for the keys of others.`)
  }
  const account = await findServiceAccount(db, organizationId, serviceAccountId)
  if (!account) throw referenceNotFound('serviceAccountId', 'service account', serviceAccountId)
  return { serviceAccountId }
}

/** Parses a time in the future. Precision beyond milliseconds is lost. */
function futureMoment(text: string, now: Date): Date {
  const moment = new Date(text)
  if (moment > now) return moment
  throw bodyInvalid(['$.data.expiresAt: expected a moment in the future'])
}

const notFound = (id: string) =>
  new ApiError('apiKeyNotFound', `The API key ${id} does not exist, or you may not see it.`)

const toWire = (row: ApiKeyRow): ApiKey => ({
  id: row.id,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  organizationId: row.organizationId,
  name: row.name,
  tokenHint: row.tokenHint,
  ...(row.membershipId !== null && { membershipId: row.membershipId }),
  ...(row.serviceAccountId !== null && { serviceAccountId: row.serviceAccountId }),
  ...(row.expiresAt !== null && { expiresAt: row.expiresAt.toISOString() }),
  ...(row.lastUsedAt !== null && { lastUsedAt: row.lastUsedAt.toISOString() }),
})
