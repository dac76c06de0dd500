import { type Favourite, routes } from '@sluice/contract'
import { recordChange } from '../../identity/audit-events/record.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { referenceNotFound } from '../../platform/http/references.ts'
import { findFavourites, readFavourites, replaceFavourites } from './store.ts'

export function serveFavourites(app: App): void {
  handle(app, routes.listFavourites, async ({ caller, db }) => {
    const ids = await readFavourites(db, caller)
    return { data: inOrder(ids, await findFavourites(db, caller.organizationId, ids)) }
  })

  handle(app, routes.updateFavourites, (call) => {
    const { body, caller, db } = call
    const { organizationId, membershipId, principalType } = caller
    const ids = [...new Set(body.data.ids)]
    if (principalType !== 'MEMBERSHIP')
      throw new ApiError('forbidden', 'Only members of the organization have favourites.')
    return db.transaction(async (tx) => {
      const found = await findFavourites(tx, organizationId, ids)
      const stranger = ids.find((id) => !found.has(id))
      if (stranger !== undefined) {
        throw referenceNotFound('ids', 'module instance, pipeline or project', stranger)
      }
      const before = await readFavourites(tx, caller)
      await replaceFavourites(tx, caller, ids)
      const change = { action: 'favourites.update', resourceType: 'membership', resourceId: membershipId }
      await recordChange(tx, call, { ...change, details: { ids }, before: { ids: before } })
      return { data: inOrder(ids, found) }
    })
  })
}

const inOrder = (ids: readonly string[], found: ReadonlyMap<string, Favourite>): Favourite[] =>
  ids.flatMap((id) => found.get(id) ?? [])
