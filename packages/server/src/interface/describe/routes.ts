import { routes } from '@sluice/contract'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { findNamed } from './named.ts'
import { describeRecord } from './records.ts'

/** Says what an id or an ARN stands for, from our own records: the cloud is not asked. */
export function serveDescribe(app: App): void {
  handle(app, routes.describe, async ({ query, caller: { organizationId }, db }) => {
    const id = query.id.trim()
    const recordId = id.startsWith('arn:') ? await findNamed(db, organizationId, id) : id
    const found = recordId && (await describeRecord(db, organizationId, recordId))
    if (!found) throw new Refusal('nothingDescribed', `Nothing that you can see is called ${id}.`)
    return { data: found }
  })
}
