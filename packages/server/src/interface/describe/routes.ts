import { routes } from '@sluice/contract'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import type { Declarations } from '../../platform/records.ts'
import { findNamed } from './named.ts'
import { findMemberCalled } from './people.ts'
import { describeRecord } from './records.ts'

/** Serves descriptions of ids and ARNs from Sluice's records, without reading the cloud. */
export function serveDescribe(app: App, { declarations }: { declarations: Declarations }): void {
  handle(app, routes.describe, async ({ query, caller: { organizationId }, db }) => {
    const id = query.id.trim()
    const recordId = await recordIdOf(db, organizationId, id)
    const found = recordId && (await describeRecord(declarations, { db, organizationId, id: recordId }))
    if (!found) throw new ApiError('nothingDescribed', `${id} does not exist, or you may not see it.`)
    return { data: found }
  })
}

/** Returns the id of a record by a cloud ARN, a member's email, or the id itself. */
async function recordIdOf(db: Db, organizationId: string, text: string): Promise<string | undefined> {
  if (text.startsWith('arn:')) return findNamed(db, organizationId, text)
  return text.includes('@') ? findMemberCalled(db, organizationId, text) : text
}
