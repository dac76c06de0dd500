import { type AppliedFiles, routes } from '@sluice/contract'
import { recordChange } from '../../identity/audit-events/record.ts'
import type { AuditEventRow } from '../../identity/audit-events/tables.ts'
import { nameOf } from '../../platform/auth/caller.ts'
import type { Db } from '../../platform/db/open.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { missing } from '../../platform/http/references.ts'
import { findProject } from '../../projects/projects/store.ts'
import { changesSince, findAppliedFiles, replaceAppliedFiles, shownOf } from './store.ts'

export function serveAppliedFiles(app: App): void {
  handle(app, routes.getAppliedFiles, async ({ params: { id }, query, caller: { organizationId }, db }) => {
    await expectProject(db, organizationId, id)
    return { data: await read(db, { organizationId, projectId: id }, query.recordId) }
  })

  handle(app, routes.noteAppliedFiles, async (call) => {
    const { params, body, caller, db } = call
    const place = { organizationId: caller.organizationId, projectId: params.id }
    await db.transaction(async (tx) => {
      await expectProject(tx, place.organizationId, params.id)
      const given = Object.entries(body.data.records)
      const shown = await shownOf(
        tx,
        place,
        given.map(([id]) => id),
      )
      const records = Object.fromEntries(given.filter(([id]) => shown.has(id)))
      const { source } = body.data
      await replaceAppliedFiles(tx, { ...place, appliedBy: nameOf(caller), source: source ?? null, records })
      const change = { action: 'projects.apply-files', resourceType: 'project', resourceId: params.id }
      const details = { records: Object.keys(records).length, ...(source && { commit: source.commit }) }
      await recordChange(tx, call, { ...change, of: place, details })
    })
    return { data: await read(db, place) }
  })
}

async function expectProject(db: Db, organizationId: string, id: string): Promise<void> {
  if (!(await findProject(db, organizationId, id))) throw missing('projectNotFound', 'project', id)
}

type Place = { organizationId: string; projectId: string }

async function read(db: Db, place: Place, recordId?: string): Promise<AppliedFiles> {
  const row = await findAppliedFiles(db, place.organizationId, place.projectId)
  if (!row) return { records: [] }
  const named = Object.entries(row.records).filter(([id]) => recordId === undefined || id === recordId)
  const shown = await shownOf(
    db,
    place,
    named.map(([id]) => id),
  )
  const ids = [...shown]
  const changes = await changesSince(db, place.organizationId, { ids, since: row.appliedAt })
  return {
    appliedAt: row.appliedAt.toISOString(),
    appliedBy: row.appliedBy,
    ...(row.source && { source: row.source }),
    records: named
      .filter(([id]) => shown.has(id))
      .map(([id, name]) => ({ id, name, changes: changes.filter((one) => isOf(one, id)).map(changeOf) })),
  }
}

const isOf = ({ resourceId, details }: AuditEventRow, id: string): boolean =>
  resourceId === id || details?.pipelineId === id

const changeOf = ({ createdAt, actorName, action, details }: AuditEventRow) => ({
  at: createdAt.toISOString(),
  by: actorName,
  fields: action === 'pipeline-versions.create' ? ['config'] : fieldsIn(details ?? {}),
})

/** Of inputs the audit log has the names. */
const fieldsIn = (details: Record<string, unknown>): string[] =>
  Object.entries(details).flatMap(([name, value]) =>
    name === 'input' && Array.isArray(value) && value.length > 0 ? value.map((input) => `input.${input}`) : [name],
  )
