import { routes } from '@sluice/contract'
import type { Db } from '../../platform/db/open.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import type { Declarations } from '../../platform/records.ts'
import { findNamed } from './named.ts'
import { findMemberCalled } from './people.ts'
import { describeRecord } from './records.ts'

/** Says what an id or an ARN stands for, from our own records: the cloud is not asked. */
export function serveDescribe(app: App, { declarations }: { declarations: Declarations }): void {
  handle(app, routes.describe, async ({ query, caller: { organizationId }, db }) => {
    const id = query.id.trim()
    const recordId = await recordIdOf(db, organizationId, id)
    const found = recordId && (await describeRecord(declarations, { db, organizationId, id: recordId }))
    if (!found) throw new Refusal('nothingDescribed', `Nothing that you can see is called ${id}.`)
    return { data: found }
  })
}

/** What a text stands for: an ARN of the cloud, a member's address, or an id already. */
async function recordIdOf(db: Db, organizationId: string, text: string): Promise<string | undefined> {
  if (text.startsWith('arn:')) return findNamed(db, organizationId, text)
  return text.includes('@') ? findMemberCalled(db, organizationId, text) : text
}
