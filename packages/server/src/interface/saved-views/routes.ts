import { routes, type SavedView } from '@sluice/contract'
import { recordChange } from '../../identity/audit-events/record.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { findSavedViews, replaceSavedViews } from './store.ts'

export function serveSavedViews(app: App): void {
  handle(app, routes.listSavedViews, async ({ caller, db }) => ({ data: await findSavedViews(db, caller) }))

  handle(app, routes.updateSavedViews, (call) => {
    const { body, caller, db } = call
    const { membershipId, principalType } = caller
    const { page, views } = body.data
    if (principalType !== 'MEMBERSHIP')
      throw new ApiError('forbidden', 'Only members of the organization can save views.')
    const names = views.map(({ name }) => name)
    const repeated = names.find((name, index) => names.indexOf(name) !== index)
    if (repeated !== undefined) {
      throw new ApiError('requestInvalid', `data.views has two views named ${repeated}. Give one of them another name.`)
    }
    return db.transaction(async (tx) => {
      const before = (await findSavedViews(tx, caller)).filter((one) => one.isOwn && one.page === page).map(savedPart)
      await replaceSavedViews(tx, caller, body.data)
      const change = { action: 'saved-views.update', resourceType: 'membership', resourceId: membershipId }
      await recordChange(tx, call, { ...change, details: { page, views }, before: { page, views: before } })
      return { data: await findSavedViews(tx, caller) }
    })
  })
}

const savedPart = ({ name, search, isShared }: SavedView) => ({ name, search, isShared })
