import { type AppliedFiles, routes } from '@sluice/contract'
import { recordChange } from '../../identity/audit-events/record.ts'
import { nameOf } from '../../platform/auth/caller.ts'
import type { Db } from '../../platform/db/open.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { missing } from '../../platform/http/references.ts'
import { findProject } from '../../projects/projects/store.ts'
import { changesOf } from './changes.ts'
import { type ProjectPlace, placesOf } from './places.ts'
import { changesSince, findAppliedFiles, listRecordsInFiles, replaceAppliedFiles } from './store.ts'

export function serveAppliedFiles(app: App): void {
  handle(app, routes.getAppliedFiles, async ({ params: { id }, query, caller: { organizationId }, db }) => {
    await expectProject(db, organizationId, id)
    return { data: await read(db, { organizationId, projectId: id }, query.recordId) }
  })

  handle(app, routes.recordAppliedFiles, async (call) => {
    const { params, body, caller, db } = call
    const place = { organizationId: caller.organizationId, projectId: params.id }
    await db.transaction(async (tx) => {
      await expectProject(tx, place.organizationId, params.id)
      const given = Object.entries(body.data.records)
      const places = await placesOf(
        tx,
        place,
        given.map(([id]) => id),
      )
      const records = given.flatMap(([recordId, called]) => {
        const environmentIds = places.get(recordId)
        if (environmentIds === undefined) return []
        return [{ recordId, names: [called].flat(), environmentIds }]
      })
      const { source } = body.data
      await replaceAppliedFiles(tx, { ...place, appliedBy: nameOf(caller), source: source ?? null }, records)
      const change = { action: 'projects.apply-files', resourceType: 'project', resourceId: params.id }
      const details = { records: records.length, ...(source && { commit: source.commit }) }
      await recordChange(tx, call, { ...change, of: place, details })
    })
    return { data: await read(db, place) }
  })
}

async function expectProject(db: Db, organizationId: string, id: string): Promise<void> {
  if (!(await findProject(db, organizationId, id))) throw missing('projectNotFound', 'project', id)
}

async function read(db: Db, place: ProjectPlace, recordId?: string): Promise<AppliedFiles> {
  const row = await findAppliedFiles(db, place)
  if (!row) return { records: [] }
  const records = await listRecordsInFiles(db, place, recordId)
  const ids = records.map((one) => one.recordId)
  const changes = await changesSince(db, place.organizationId, { ids, since: row.appliedAt })
  return {
    appliedAt: row.appliedAt.toISOString(),
    appliedBy: row.appliedBy,
    ...(row.source && { source: row.source }),
    records: records.flatMap(({ recordId: id, names }) =>
      names.map((name) => ({ id, name, changes: changesOf({ id, name }, changes) })),
    ),
  }
}
