import { type CloudAccount, routes } from '@sluice/contract'
import type { Db } from '../platform/db/open.ts'
import type { App } from '../platform/http/app.ts'
import { handle } from '../platform/http/handle.ts'
import type { OpenPage } from '../platform/http/pagination.ts'
import { Refusal } from '../platform/http/refusal.ts'
import { findCloudAccount, listCloudAccounts } from './store.ts'
import type { CloudAccountRow } from './tables.ts'

export function serveCloudAccounts(app: App, { db, openPage }: { db: Db; openPage: OpenPage }): void {
  handle(app, routes.listCloudAccounts, async ({ query, caller }) => {
    const page = openPage(routes.listCloudAccounts, caller, query)
    return page.reply(await listCloudAccounts(db, caller.organizationId, page), toWire)
  })

  handle(app, routes.getCloudAccount, async ({ params, caller }) => {
    const account = await findCloudAccount(db, caller.organizationId, params.id)
    if (!account) {
      throw new Refusal('cloudAccountNotFound', `There is no cloud account ${params.id} in this organization.`)
    }
    return { data: toWire(account) }
  })
}

/** The external id and the hash of the event secret stay here: they are what keeps other tenants out of the account. */
const toWire = (row: CloudAccountRow): CloudAccount => ({
  id: row.id,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  organizationId: row.organizationId,
  givenId: row.givenId,
  name: row.name,
  status: row.status,
  ...(row.cloudArn !== null && { cloudArn: row.cloudArn }),
  ...(row.cloudId !== null && { cloudId: row.cloudId }),
  ...(row.cfnStackId !== null && { cfnStackId: row.cfnStackId }),
  ...(row.roleVersion !== null && { roleVersion: row.roleVersion }),
  ...(row.latestRoleVersion !== null && { latestRoleVersion: row.latestRoleVersion }),
  ...(row.latestRoleVersionDescription !== null && {
    latestRoleVersionDescription: row.latestRoleVersionDescription,
  }),
})
