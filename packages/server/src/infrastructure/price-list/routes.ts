import { routes } from '@sluice/contract'
import { recordChange } from '../../identity/audit-events/record.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { readPriceList, savePriceList } from './store.ts'

export function servePriceList(app: App): void {
  handle(app, routes.getPriceList, async ({ caller, db }) => ({
    data: await readPriceList(db, caller.organizationId),
  }))

  handle(app, routes.updatePriceList, (call) => {
    const { body, caller, db } = call
    const { organizationId } = caller
    return db.transaction(async (tx) => {
      const before = await readPriceList(tx, organizationId)
      await savePriceList(tx, organizationId, body.data)
      const change = { action: 'price-list.update', resourceType: 'price-list', resourceId: organizationId }
      await recordChange(tx, call, { ...change, details: body.data, before })
      return { data: body.data }
    })
  })
}
