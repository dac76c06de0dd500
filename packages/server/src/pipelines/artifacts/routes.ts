import {
  type Artifact,
  type ArtifactRemoval,
  type ArtifactRetention,
  type ArtifactVerdict,
  retentionGraceMinutes,
  routes,
} from '@sluice/contract'
import { recordChange } from '../../identity/audit-events/record.ts'
import { daysBefore } from '../../platform/db/forgetting.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { missing } from '../../platform/http/references.ts'
import { present } from '../../platform/present.ts'
import { deployInputsOf } from './deploy-inputs.ts'
import { locationOf } from './location.ts'
import { messageFor, type RetentionReason } from './marks.ts'
import { retentionReasonsOf, visibleDeployments } from './needs.ts'
import { countFailedRemovals, findRetention, type RetentionSettings, setRetention } from './retention.ts'
import { type RunsAt, runningOf } from './running.ts'
import { findArtifact, listArtifacts } from './store.ts'
import type { ArtifactRow } from './tables.ts'

export function serveArtifacts(app: App, { clock }: { clock: () => Date }): void {
  handle(app, routes.listArtifacts, async ({ query, caller, db }) => {
    const page = app.openPage(routes.listArtifacts, caller, query)
    const found = await listArtifacts(db, caller.organizationId, query, page)
    const runningOn = await runningOf(db, caller.organizationId, found.rows)
    return page.reply(found, (row) => serialize(row, runningOn(row)))
  })

  handle(app, routes.dryRunArtifactRetention, async ({ query, caller, db }) => {
    const { organizationId } = caller
    const own = await findRetention(db, organizationId)
    const { keepDays = own.keepDays, keepLatest = own.keepLatest } = query
    const page = app.openPage(routes.dryRunArtifactRetention, caller, query)
    const found = await listArtifacts(db, organizationId, { ...query, isThere: true }, page)
    const needs = await retentionReasonsOf(db, organizationId, { keepLatest, since: daysBefore(clock(), keepDays) })
    const releases = found.rows.flatMap((row) => needs.keeping(row)?.deploymentId ?? [])
    const visible = await visibleDeployments(db, organizationId, releases)
    const runningOn = await runningOf(db, organizationId, found.rows)
    return page.reply(found, (row) => toVerdict(serialize(row, runningOn(row)), needs.keeping(row), visible))
  })

  handle(app, routes.getArtifactRetention, async ({ caller: { organizationId }, db }) => ({
    data: await serializeRetention(db, organizationId, await findRetention(db, organizationId)),
  }))

  handle(app, routes.setArtifactRetention, ({ body: { data }, caller, db, request }) =>
    db.transaction(async (tx) => {
      const { organizationId } = caller
      const wakeAt = new Date(clock().getTime() + retentionGraceMinutes * 60_000)
      const { before, row } = await setRetention(tx, organizationId, data, wakeAt)
      const { isEnabled, keepDays, keepLatest } = row
      await recordChange(
        tx,
        { caller, request },
        {
          action: 'artifacts.keep',
          resourceType: 'organization',
          resourceId: organizationId,
          details: { isEnabled, keepDays, keepLatest },
          before,
        },
      )
      return { data: await serializeRetention(tx, organizationId, row) }
    }),
  )

  handle(app, routes.getArtifact, async ({ params, caller, db }) => {
    const artifact = await findArtifact(db, caller.organizationId, params.id)
    if (!artifact) throw missing('artifactNotFound', 'artifact', params.id)
    const runningOn = await runningOf(db, caller.organizationId, [artifact])
    return { data: serialize(artifact, runningOn(artifact)) }
  })

  handle(app, routes.getArtifactProvenance, async ({ params, caller, db }) => {
    const artifact = await findArtifact(db, caller.organizationId, params.id)
    if (!artifact) throw missing('artifactNotFound', 'artifact', params.id)
    const { provenance } = artifact
    if (provenance) return { data: provenance }
    throw new ApiError('provenanceNotKept', `The artifact ${params.id} was built before Sluice recorded provenance.`)
  })
}

async function serializeRetention(
  db: Db,
  organizationId: string,
  { isEnabled, keepDays, keepLatest, wakeAt }: RetentionSettings & { wakeAt: Date | null },
): Promise<ArtifactRetention> {
  const nextAt = isEnabled ? wakeAt?.toISOString() : undefined
  return present({
    isEnabled,
    keepDays,
    keepLatest,
    nextAt,
    failedRemovalCount: await countFailedRemovals(db, organizationId),
  })
}

function toVerdict(
  artifact: Artifact,
  need: RetentionReason | undefined,
  visible: ReadonlySet<string>,
): ArtifactVerdict {
  const { use, deploymentId } = need ?? {}
  return present({
    artifact,
    isNeeded: need !== undefined,
    neededFor: use,
    deploymentId: deploymentId !== undefined && visible.has(deploymentId) ? deploymentId : undefined,
    message: messageFor(need),
  })
}

const serialize = (row: ArtifactRow, runningOn: RunsAt): Artifact =>
  present({
    id: row.id,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    organizationId: row.organizationId,
    projectId: row.projectId,
    environmentId: row.environmentId,
    moduleInstanceId: row.moduleInstanceId,
    pipelineRunId: row.pipelineRunId,
    stepExecutionId: row.stepExecutionId,
    kind: row.kind,
    location: locationOf(row),
    deployInputs: deployInputsOf(row),
    commit: row.commit ?? undefined,
    contentKey: row.contentKey,
    digest: row.digest,
    sizeBytes: row.sizeBytes,
    fileCount: row.fileCount,
    buildSeconds: row.buildSeconds,
    runningOn,
    removal: serializeRemoval(row),
  })

function serializeRemoval(row: ArtifactRow): ArtifactRemoval | undefined {
  const { removalReason: reason, removalBeganAt, removedAt, removalError, removalTryAt } = row
  if (reason === null) return undefined
  return present({
    reason,
    beganAt: removalBeganAt?.toISOString(),
    removedAt: removedAt?.toISOString(),
    error: removalError ?? undefined,
    nextRetryAt: removalError === null ? undefined : removalTryAt?.toISOString(),
  })
}
