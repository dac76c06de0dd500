import { routes, type ServiceAccount } from '@sluice/contract'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle, handleGet, handleList, unfiltered } from '../../platform/http/handle.ts'
import { missing } from '../../platform/http/references.ts'
import { rejectTaken } from '../../platform/http/taken.ts'
import { recordChange } from '../audit-events/record.ts'
import {
  findServiceAccount,
  insertServiceAccount,
  listServiceAccounts,
  nameIndex,
  removeServiceAccount,
  type ServiceAccountRow,
  updateServiceAccount,
} from './store.ts'

const resourceType = 'service-account'

export function serveServiceAccounts(app: App): void {
  handle(app, routes.createServiceAccount, ({ body: { data }, caller, db, request }) =>
    rejectTaken(
      nameIndex,
      () => nameTaken(data.name),
      () =>
        db.transaction(async (tx) => {
          const account = await insertServiceAccount(tx, { organizationId: caller.organizationId, ...data })
          const change = { action: 'service-accounts.create', resourceType, resourceId: account.id, details: data }
          await recordChange(tx, { caller, request }, change)
          return { data: toWire(account) }
        }),
    ),
  )

  handleList(app, routes.listServiceAccounts, unfiltered(listServiceAccounts), toWire)
  handleGet(app, routes.getServiceAccount, { find: findServiceAccount, notFound, toWire })

  handle(app, routes.updateServiceAccount, async ({ params, body: { data }, caller, db, request }) => {
    const update = () =>
      db.transaction(async (tx) => {
        const account = await updateServiceAccount(tx, caller.organizationId, params.id, data)
        if (!account) throw notFound(params.id)
        const change = { action: 'service-accounts.update', resourceType, resourceId: account.id, details: data }
        await recordChange(tx, { caller, request }, change)
        return account
      })
    const account = await rejectTaken(nameIndex, () => nameTaken(data.name), update)
    app.callers.forget()
    return { data: toWire(account) }
  })

  handle(app, routes.deleteServiceAccount, async ({ params, caller, db, request }) => {
    await db.transaction(async (tx) => {
      const account = await removeServiceAccount(tx, caller.organizationId, params.id)
      if (!account) throw notFound(params.id)
      const details = { name: account.name, role: account.role }
      const change = { action: 'service-accounts.delete', resourceType, resourceId: account.id, details }
      await recordChange(tx, { caller, request }, change)
    })
    app.callers.forget()
  })
}

const nameTaken = (name: string | undefined) =>
  new ApiError('serviceAccountNameTaken', `A service account named ${name} already exists.`)

const notFound = (id: string) => missing('serviceAccountNotFound', 'service account', id)

const toWire = (row: ServiceAccountRow): ServiceAccount => ({
  id: row.id,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  organizationId: row.organizationId,
  name: row.name,
  role: row.role,
})
