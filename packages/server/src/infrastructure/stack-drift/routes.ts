import { routes, type StackDrift, type UpdateStackDrift } from '@sluice/contract'
import { authorOf } from '../../identity/audit-events/author.ts'
import { recordChange } from '../../identity/audit-events/record.ts'
import { admitRun } from '../../pipelines/pipeline-runs/admit.ts'
import { messagesOf } from '../../pipelines/pipeline-runs/recipients.ts'
import { scheduleFaults } from '../../pipelines/pipeline-versions/config/schedule.ts'
import { lockPipelineShared } from '../../pipelines/pipelines/store.ts'
import { nameOf } from '../../platform/auth/caller.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { triggerSourceOf } from '../../platform/http/channel.ts'
import { handle } from '../../platform/http/handle.ts'
import { bodyInvalid } from '../../platform/http/input.ts'
import { missing, referenceNotFound } from '../../platform/http/references.ts'
import { present } from '../../platform/present.ts'
import { findStack } from '../../stacks/stacks/store.ts'
import type { StackRow } from '../../stacks/stacks/tables.ts'
import { nextCheckTime } from './next-check.ts'
import { noDriftCheckPipelineError, startDriftCheck } from './start-check.ts'
import {
  type DriftChanges,
  ensureDrift,
  findDrift,
  instanceOfStack,
  isCheckInProgress,
  listDrifted,
  updateDrift,
} from './store.ts'
import type { StackDriftRow } from './tables.ts'

const resourceType = 'stack'

export function serveStackDrift(app: App, { clock }: { clock: () => Date }): void {
  handle(app, routes.getStackDrift, async ({ params, caller: { organizationId }, db }) => {
    const stack = await stackNamed(db, organizationId, params.id)
    return { data: await toWire(db, stack, await findDrift(db, organizationId, stack.id)) }
  })

  handle(app, routes.updateStackDrift, ({ params, body: { data }, caller, db, request }) =>
    db.transaction(async (tx) => {
      const { organizationId } = caller
      const stack = await stackNamed(tx, organizationId, params.id)
      const changes = await scheduleOf(tx, stack, data.schedule, clock())
      const before = await ensureDrift(tx, organizationId, stack.id)
      const row = await updateDrift(tx, before, changes)
      const { cron, timeZone, reconciles } = before
      const held = before.cron === null ? null : { cron, timeZone, reconciles }
      const change = {
        action: 'stacks.set-drift-schedule',
        resourceType,
        resourceId: stack.id,
        of: stack,
        details: data,
      }
      await recordChange(tx, { caller, request }, { ...change, before: { schedule: held } })
      return { data: await toWire(tx, stack, row) }
    }),
  )

  handle(app, routes.checkStackDrift, async ({ params, caller, db, request, afterwards }) =>
    db.transaction(async (tx) => {
      const { organizationId } = caller
      const stack = await stackNamed(tx, organizationId, params.id)
      const drift = await ensureDrift(tx, organizationId, stack.id)
      if (!(await isCheckInProgress(tx, drift))) {
        await admitRun(app.limits, tx, organizationId)
        const asked = { caller, request }
        const by = { author: authorOf(asked), triggerSource: triggerSourceOf(asked), triggeredBy: nameOf(caller) }
        const runs = await startDriftCheck(tx, drift, { ...by, now: clock() })
        afterwards(() => app.sendMessages(messagesOf({ runs })))
      }
      return { data: await toWire(tx, stack, await findDrift(tx, organizationId, stack.id)) }
    }),
  )
}

async function stackNamed(db: Db, organizationId: string, id: string): Promise<StackRow> {
  const stack = await findStack(db, organizationId, id)
  if (!stack) throw missing('stackNotFound', 'stack', id)
  return stack
}

const none = { cron: null, timeZone: null, nextAt: null, reconciles: false, pipelineId: null } as const

/** Validates a schedule and returns its changes. Rejects one without any occurrence. */
async function scheduleOf(
  tx: Db,
  { organizationId, id: stackId, projectId }: StackRow,
  wished: UpdateStackDrift['schedule'],
  now: Date,
): Promise<DriftChanges> {
  if (wished === null) return none
  const { cron, timeZone = 'UTC', pipelineId, reconciles = false } = wished
  const faults = scheduleFaults(cron, timeZone, '$.data.schedule', 'timeZone')
  if (faults.length > 0) throw bodyInvalid(faults)
  if (pipelineId !== undefined) {
    const pipeline = await lockPipelineShared(tx, organizationId, pipelineId)
    if (pipeline?.projectId !== projectId) throw referenceNotFound('schedule.pipelineId', 'pipeline', pipelineId)
  }
  const hasInstance = (await instanceOfStack(tx, organizationId, stackId)) !== undefined
  if (!hasInstance && pipelineId === undefined) throw noDriftCheckPipelineError(stackId)
  if (!hasInstance && reconciles) throw nothingReconciles(stackId)
  const nextAt = nextCheckTime({ stackId, cron, timeZone }, now) ?? null
  return { cron, timeZone, nextAt, reconciles, pipelineId: pipelineId ?? null }
}

const nothingReconciles = (stackId: string) =>
  new ApiError('stackNotAvailable', `No module instance uses the stack ${stackId}, so no run can undo drift.`, {
    description: 'Leave `reconciles` away, and have a pipeline of your own wait for the one that looks.',
  })

/** Maximum number of drifted resources to return. */
const maxListed = 100

async function toWire(db: Db, { id, organizationId }: StackRow, row: StackDriftRow | undefined): Promise<StackDrift> {
  const drifted = await listDrifted(db, organizationId, id)
  return present({
    stackId: id,
    schedule: row && scheduleToWire(row),
    latestCheck: row && (await checkToWire(db, row)),
    driftedSince: row?.driftedSince?.toISOString(),
    reconcilingRunId: row?.reconcilingRunId ?? undefined,
    driftedCount: drifted.length,
    drifted: drifted.slice(0, maxListed),
  })
}

function scheduleToWire({ cron, timeZone, nextAt, reconciles, pipelineId }: StackDriftRow): StackDrift['schedule'] {
  if (cron === null || timeZone === null || nextAt === null) return undefined
  return present({ cron, timeZone, nextAt: nextAt.toISOString(), reconciles, pipelineId: pipelineId ?? undefined })
}

async function checkToWire(db: Db, row: StackDriftRow): Promise<StackDrift['latestCheck']> {
  const { status, runId, checkedAt, error } = row
  if (status === null) return undefined
  // The run may have been deleted with its pipeline.
  const isLost = status === 'IN_PROGRESS' && !(await isCheckInProgress(db, row))
  return present({
    status: isLost ? 'FAILED' : status,
    pipelineRunId: runId ?? undefined,
    at: checkedAt?.toISOString(),
    error: error ?? undefined,
  })
}
