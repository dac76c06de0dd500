import { type IacStateVersion, routes } from '@sluice/contract'
import { recordChange } from '../../identity/audit-events/record.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { missing } from '../../platform/http/references.ts'
import type { ReachedStorageLimit } from '../../platform/limits/stored.ts'
import type { LimitValues } from '../../platform/limits/table.ts'
import { findStackWorkspace } from '../stacks/workspaces.ts'
import { breakLock, lockWorkspace } from './locks.ts'
import { readState, withSerial } from './state-file.ts'
import { appendState, findLatestState, findStateVersion, listStateVersions, openState, packState } from './store.ts'
import type { IacStateVersionRow } from './tables.ts'

/** Subscriber to restored states: `addresses` are the resources that the workspace has from now on. */
export type OnStateRestored = (
  tx: Db,
  of: { organizationId: string; stackId: string; workspaceId: string },
  addresses: readonly string[],
) => Promise<void>

type Parts = { seal: Seal; onStateRestored: readonly OnStateRestored[] }
type RestoreParts = Pick<Parts, 'seal' | 'onStateRestored'> & { mosts: LimitValues }

/** Serves operations of users on states. The IaC tool uses other endpoints. */
export function serveIacStates(app: App, { seal, onStateRestored }: Parts): void {
  handle(app, routes.listIacStateVersions, async ({ params, query, caller, db }) => {
    const { organizationId } = caller
    if (!(await findStackWorkspace(db, organizationId, params.id))) throw workspaceNotFound(params.id)
    const page = app.openPage(routes.listIacStateVersions, caller, query)
    return page.reply(await listStateVersions(db, organizationId, params.id, page), serialize)
  })

  handle(app, routes.downloadIacState, async ({ params, caller, db, request, reply }) => {
    const version = await findStateVersion(db, caller.organizationId, params.id)
    if (!version) throw notFound(params.id)
    const bytes = await opened(seal, version)
    const change = { action: 'iac-states.download', resourceType: 'iac-state-version', resourceId: version.id }
    await recordChange(db, { caller, request }, change)
    // Bytes, because parsing and serializing JSON could change numbers.
    reply
      .header('content-disposition', `attachment; filename="state-${version.sequence}.json"`)
      .serializer(() => bytes.toString())
    return {}
  })

  handle(app, routes.restoreIacState, async ({ params, caller, db, request }) => {
    const { organizationId } = caller
    const version = await findStateVersion(db, organizationId, params.id)
    if (!version) throw notFound(params.id)
    const bytes = await opened(seal, version)
    const restored = await db.transaction(async (tx) => {
      const createdBy = caller.email || (caller.fullName ?? caller.membershipId)
      const row = await restore(tx, { seal, onStateRestored, mosts: app.limits.mosts }, version, { bytes, createdBy })
      const change = { action: 'iac-states.restore', resourceType: 'iac-state-version', resourceId: version.id }
      await recordChange(
        tx,
        { caller, request },
        { ...change, details: { sequence: version.sequence, restoredAs: row.id } },
      )
      return row
    })
    return { data: serialize(restored) }
  })

  handle(app, routes.breakStateLock, ({ params, caller, db, request }) =>
    db.transaction(async (tx) => {
      const workspace = await lockWorkspace(tx, caller.organizationId, params.id)
      if (!workspace) throw workspaceNotFound(params.id)
      const broken = await breakLock(tx, workspace)
      if (!broken) {
        throw new ApiError('stackWorkspaceNotLocked', `The workspace ${workspace.name} is not locked.`)
      }
      const change = { action: 'iac-states.break-lock', resourceType: 'stack-workspace', resourceId: workspace.id }
      await recordChange(tx, { caller, request }, { ...change, details: broken })
    }),
  )
}

/** Restores an earlier state by adding it as the latest version, so that the history stays complete. */
async function restore(
  tx: Db,
  { seal, onStateRestored, mosts }: RestoreParts,
  { organizationId, workspaceId }: IacStateVersionRow,
  { bytes, createdBy }: { bytes: Buffer; createdBy: string },
): Promise<IacStateVersionRow> {
  const workspace = await lockWorkspace(tx, organizationId, workspaceId)
  if (!workspace) throw workspaceNotFound(workspaceId)
  if (workspace.lock) {
    const { heldBy, since } = workspace.lock
    throw new ApiError(
      'stackWorkspaceLocked',
      `The state is locked by ${heldBy} since ${since}. Wait, or break the lock.`,
    )
  }
  const latest = await findLatestState(tx, organizationId, workspaceId)
  const packed = await packState(seal, organizationId, withSerial(bytes, (latest?.serial ?? 0) + 1))
  const appended = packed && (await appendState(tx, workspace, packed, { stepExecutionId: null, createdBy, mosts }))
  if (typeof appended === 'object' && 'full' in appended) throw storageFull(appended.full)
  if (!appended || appended === 'same' || 'conflict' in appended) throw new Error('an earlier state cannot be appended')
  const addresses = readState(bytes)?.resources.map(({ address }) => address) ?? []
  const place = { organizationId, stackId: workspace.stackId, workspaceId }
  for (const subscriber of onStateRestored) await subscriber(tx, place, addresses)
  return appended
}

async function opened(seal: Seal, version: IacStateVersionRow): Promise<Buffer> {
  try {
    return await openState(seal, version)
  } catch (cause) {
    const message = `The state ${version.id} was encrypted with another key. Start the service with the SLUICE_ENCRYPTION_KEY of that time.`
    throw new ApiError('iacStateUnreadable', message, { metadata: { reason: String(cause) } })
  }
}

const storageFull = ({ message, remedy: description, limit, most }: ReachedStorageLimit) =>
  new ApiError('rateLimited', message, { description, metadata: { limit, most } })

const notFound = (id: string) => missing('iacStateVersionNotFound', 'state', id)
const workspaceNotFound = (id: string) => missing('stackWorkspaceNotFound', 'workspace', id)

const serialize = (row: IacStateVersionRow): IacStateVersion => ({
  id: row.id,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  organizationId: row.organizationId,
  stackWorkspaceId: row.workspaceId,
  sequence: row.sequence,
  serial: row.serial,
  lineage: row.lineage,
  digest: row.digest,
  sizeBytes: row.sizeBytes,
  resourceCount: row.resourceCount,
  ...(row.stepExecutionId !== null && { stepExecutionId: row.stepExecutionId }),
  createdBy: row.createdBy,
})
