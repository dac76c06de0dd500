import {
  type PipelineVersion,
  type PipelineVersionApproval,
  type PipelineVersionDryRun,
  routes,
} from '@sluice/contract'
import type { Logger } from 'pino'
import { asking, requireEligibleApprover } from '../../gates/approvals.ts'
import { authorOf } from '../../identity/audit-events/author.ts'
import { recordChange } from '../../identity/audit-events/record.ts'
import type { Caller } from '../../platform/auth/caller.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Engine } from '../../platform/engine/client.ts'
import { createDispatch } from '../../platform/engine/dispatch.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { includedIn, includedInEach } from '../../platform/http/include.ts'
import { listed } from '../../platform/http/listed.ts'
import { missing, referenceNotFound } from '../../platform/http/references.ts'
import { present } from '../../platform/present.ts'
import { queuedRunsOfVersion } from '../pipeline-runs/store.ts'
import { toRun } from '../pipeline-runs/wake.ts'
import { adoptSchedules } from '../pipeline-triggers/schedules.ts'
import { findPipeline, takeNextVersion } from '../pipelines/store.ts'
import type { PipelineRow, PipelineVersionRow } from '../pipelines/tables.ts'
import { approvalIn, approvalsOf, reasons, requiredApprovalsOfVersion, rulesOf } from './approvals.ts'
import { configFaults } from './config/faults.ts'
import { configOf } from './config/steps.ts'
import { patchBetween } from './patch.ts'
import { evaluateVersionPolicies } from './policies.ts'
import { missingReferences } from './references.ts'
import {
  findLatestPipelineVersion,
  findPipelineVersion,
  insertPipelineVersion,
  listPipelineVersions,
  lockPipelineVersion,
  saveApprovals,
} from './store.ts'

const resourceType = 'pipeline-version'

type Parts = { engine: Engine; clock: () => Date; log: Logger }

export function servePipelineVersions(app: App, { engine, clock, log }: Parts): void {
  const dispatch = createDispatch({ engine, log })
  app.addHook('onClose', dispatch.settled)
  /** Makes the version's runs due that have not started. */
  const wakeRuns = (runs: readonly string[]) => () => {
    for (const id of runs) dispatch.soon(toRun(id))
  }

  handle(app, routes.createPipelineVersion, async ({ body: { data }, caller, db, request, reply }) => {
    const { organizationId } = caller
    const { pipelineId, config, dryRun } = data
    const pipeline = await findPipeline(db, organizationId, pipelineId)
    if (!pipeline) throw noPipeline(pipelineId)
    rejectFaults([...configFaults(config), ...(await missingReferences(db, organizationId, pipelineId, config))])
    const written = { pipeline, config: configOf({ config }), writtenById: caller.membershipId }
    const { verdicts, recordWarnings } = await evaluateVersionPolicies(db, written, clock())
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
      await recordWarnings(tx, created.id)
      return { data: serialize(created) }
    })
  })

  handle(app, routes.listPipelineVersions, async ({ query, caller, db }) => {
    const page = app.openPage(routes.listPipelineVersions, caller, query)
    const found = await listPipelineVersions(db, caller.organizationId, query, page)
    const reply = page.reply(found, serialize)
    const rows = found.rows.slice(0, reply.data.length)
    const included = await includedInEach(query, rows, {
      policies: async () => policiesOf,
      approval: async () => {
        const told = new Map<string, PipelineVersionApproval>()
        for (const row of rows) told.set(row.id, await approvalFor(db, caller, row))
        return ({ id }: PipelineVersionRow) => told.get(id) ?? nothingAsked
      },
    })
    return { ...reply, ...included }
  })

  handle(app, routes.getPipelineVersion, async ({ params, query, caller, db }) => {
    const version = await findPipelineVersion(db, caller.organizationId, params.id)
    if (!version) {
      throw missing('pipelineVersionNotFound', 'pipeline version', params.id)
    }
    const included = await includedIn(query, {
      policies: async () => policiesOf(version),
      approval: () => approvalFor(db, caller, version),
    })
    return { data: serialize(version), ...included }
  })

  handle(app, routes.approvePipelineVersion, ({ params, body, caller, db, request, afterwards }) =>
    db.transaction(async (tx) => {
      const now = clock()
      const { version, pipeline } = await versionToDecide(tx, caller, params.id)
      if (rulesOf(version).length === 0) throw noneAwaited(version)
      const asked = await requiredApprovalsOfVersion(tx, version)
      const counted = await requireEligibleApprover(tx, caller, asked, { now, words: reasons, title: 'Policies' })
      const before = approvalsOf(version)
      if (before.some(({ actorId }) => actorId === caller.membershipId)) throw approvedAlready(version)
      const said = present({ comment: body.data?.comment, onBehalfOf: counted ?? undefined })
      const { principalType: actorType, membershipId: actorId } = caller
      const { actorName } = authorOf({ caller, request })
      const approval = { actorType, actorId, actorName, at: now.toISOString(), ...said }
      const saved = await saveApprovals(tx, { id: version.id, approvals: [...before, approval] })
      const change = { action: 'pipeline-versions.approve', resourceType, resourceId: version.id, of: pipeline }
      const about = { pipelineId: pipeline.id, version: version.version }
      const policies = asking(policiesOf(version)).map(({ policyId: id, version, name }) => ({ id, version, name }))
      await recordChange(tx, { caller, request }, { ...change, details: { ...about, ...said, policies } })
      afterwards(wakeRuns(await queuedRunsOfVersion(tx, version)))
      return { data: serialize(saved) }
    }),
  )

  handle(app, routes.withdrawPipelineVersionApproval, ({ params, caller, db, request, afterwards }) =>
    db.transaction(async (tx) => {
      const { version, pipeline } = await versionToDecide(tx, caller, params.id)
      const before = approvalsOf(version)
      const own = before.find(({ actorId }) => actorId === caller.membershipId)
      if (!own) throw new ApiError('notApproved', `You have not approved ${nameOf(version)}.`)
      const saved = await saveApprovals(tx, { id: version.id, approvals: before.filter((one) => one !== own) })
      const change = { action: 'pipeline-versions.withdraw', resourceType, resourceId: version.id, of: pipeline }
      const details = { pipelineId: pipeline.id, version: version.version }
      const approved = present({ approvedAt: own.at, comment: own.comment })
      await recordChange(tx, { caller, request }, { ...change, details, before: approved })
      afterwards(wakeRuns(await queuedRunsOfVersion(tx, version)))
      return { data: serialize(saved) }
    }),
  )

  async function approvalFor(db: Db, caller: Caller, row: PipelineVersionRow): Promise<PipelineVersionApproval> {
    if (rulesOf(row).length === 0) return nothingAsked
    const pipeline = await findPipeline(db, row.organizationId, row.pipelineId)
    return pipeline ? approvalIn(db, caller, row, { projectId: pipeline.projectId, now: clock() }) : nothingAsked
  }
}

const nothingAsked: PipelineVersionApproval = {
  isPending: false,
  requirements: [],
  approvals: [],
  caller: { canDecide: false, reason: 'No policy asks about it.', hasApproved: false },
}

type ToDecide = { version: PipelineVersionRow; pipeline: PipelineRow }

/** Loads a version and locks its approvals until the end of the transaction. */
async function versionToDecide(tx: Db, { organizationId }: Caller, id: string): Promise<ToDecide> {
  const version = await lockPipelineVersion(tx, organizationId, id)
  const pipeline = version && (await findPipeline(tx, organizationId, version.pipelineId))
  if (!version || !pipeline) throw missing('pipelineVersionNotFound', 'pipeline version', id)
  return { version, pipeline }
}

const nameOf = ({ version, id }: PipelineVersionRow) => `the version ${version} (${id}) of the pipeline`

const noneAwaited = (version: PipelineVersionRow) =>
  new ApiError('noVersionApprovalAwaited', `No policy requires an approval of ${nameOf(version)}: it can be run.`)

const approvedAlready = (version: PipelineVersionRow) =>
  new ApiError('alreadyApproved', `You have already approved ${nameOf(version)}.`, {
    description: `Take it back with POST /pipeline-versions/${version.id}/withdraw-approval.`,
  })

const policiesOf = ({ policies }: PipelineVersionRow) => policies ?? []

const noPipeline = (id: string) => referenceNotFound('pipelineId', 'pipeline', id)

function rejectFaults(faults: string[]): void {
  if (faults.length === 0) return
  throw new ApiError('pipelineConfigInvalid', 'The configuration is invalid. See the details for all errors.', {
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

const serialize = (row: PipelineVersionRow): PipelineVersion => ({
  id: row.id,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  organizationId: row.organizationId,
  pipelineId: row.pipelineId,
  version: row.version,
  config: row.config,
  ...(row.createdById !== null && { createdById: row.createdById }),
})
