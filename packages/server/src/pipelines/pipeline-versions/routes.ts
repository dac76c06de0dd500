import { type PipelineVersion, type PipelineVersionDryRun, routes } from '@sluice/contract'
import { recordChange } from '../../identity/audit-events/record.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { includedIn, includedInEach } from '../../platform/http/include.ts'
import { listed } from '../../platform/http/listed.ts'
import type { OpenPage } from '../../platform/http/pagination.ts'
import { missing, referenceNotFound } from '../../platform/http/references.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { adoptSchedules } from '../pipeline-triggers/schedules.ts'
import { findPipeline, takeNextVersion } from '../pipelines/store.ts'
import type { PipelineVersionRow } from '../pipelines/tables.ts'
import { configFaults } from './config/faults.ts'
import { configOf } from './config/steps.ts'
import { judgeVersion } from './judged.ts'
import { patchBetween } from './patch.ts'
import { missingReferences } from './references.ts'
import { findLatestPipelineVersion, findPipelineVersion, insertPipelineVersion, listPipelineVersions } from './store.ts'

const resourceType = 'pipeline-version'

export function servePipelineVersions(app: App, { openPage, clock }: { openPage: OpenPage; clock: () => Date }): void {
  handle(app, routes.createPipelineVersion, async ({ body: { data }, caller, db, request, reply }) => {
    const { organizationId } = caller
    const { pipelineId, config, dryRun } = data
    const pipeline = await findPipeline(db, organizationId, pipelineId)
    if (!pipeline) throw noPipeline(pipelineId)
    refuseFaults([...configFaults(config), ...(await missingReferences(db, organizationId, pipelineId, config))])
    const written = { pipeline, config: configOf({ config }), writtenById: caller.membershipId }
    const { verdicts, noteWarnings } = await judgeVersion(db, written, clock())
    if (dryRun) {
      const base = await findLatestPipelineVersion(db, organizationId, pipelineId)
      reply.code(200).header('sluice-dry-run', 'true')
      return { data: dryRunAgainst(base, pipelineId, config) }
    }
    return db.transaction(async (tx) => {
      const version = await takeNextVersion(tx, organizationId, pipelineId)
      if (version === undefined) throw noPipeline(pipelineId)
      const policies = verdicts.length > 0 ? verdicts : null
      const given = { pipelineId, version, config, createdById: caller.membershipId, policies }
      const created = await insertPipelineVersion(tx, organizationId, given)
      await adoptSchedules(tx, { organizationId, pipelineId }, configOf(created), clock())
      const change = { action: 'pipeline-versions.create', resourceType, resourceId: created.id, of: pipeline }
      await recordChange(tx, { caller, request }, { ...change, details: { pipelineId, version } })
      await noteWarnings(tx, created.id)
      return { data: toWire(created) }
    })
  })

  handle(app, routes.listPipelineVersions, async ({ query, caller, db }) => {
    const page = openPage(routes.listPipelineVersions, caller, query)
    const found = await listPipelineVersions(db, caller.organizationId, query, page)
    const reply = page.reply(found, toWire)
    const included = await includedInEach(query, found.rows.slice(0, reply.data.length), {
      policies: async () => policiesOf,
    })
    return { ...reply, ...included }
  })

  handle(app, routes.getPipelineVersion, async ({ params, query, caller, db }) => {
    const version = await findPipelineVersion(db, caller.organizationId, params.id)
    if (!version) {
      throw missing('pipelineVersionNotFound', 'pipeline version', params.id)
    }
    const included = await includedIn(query, { policies: async () => policiesOf(version) })
    return { data: toWire(version), ...included }
  })
}

const policiesOf = ({ policies }: PipelineVersionRow) => policies ?? []

const noPipeline = (id: string) => referenceNotFound('pipelineId', 'pipeline', id)

function refuseFaults(faults: string[]): void {
  if (faults.length === 0) return
  throw new Refusal('pipelineConfigInvalid', 'The config cannot be run; the details name every fault.', {
    details: listed('Config', faults),
  })
}

const dryRunAgainst = (
  base: PipelineVersionRow | undefined,
  pipelineId: string,
  config: Record<string, unknown>,
): PipelineVersionDryRun => ({
  patch: patchBetween(base?.config ?? {}, config),
  pipelineId,
  ...(base && { baseVersion: base.version, baseVersionId: base.id }),
})

const toWire = (row: PipelineVersionRow): PipelineVersion => ({
  id: row.id,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  organizationId: row.organizationId,
  pipelineId: row.pipelineId,
  version: row.version,
  config: row.config,
  ...(row.createdById !== null && { createdById: row.createdById }),
})
