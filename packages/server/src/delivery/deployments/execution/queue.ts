import { asking } from '../../../gates/approvals.ts'
import { serviceAuthor } from '../../../identity/audit-events/author.ts'
import { recordChange } from '../../../identity/audit-events/record.ts'
import { runWithWorkerResults } from '../../../platform/aside/answered.ts'
import type { Db } from '../../../platform/db/open.ts'
import { endIfSuperseded } from '../create/rollback.ts'
import { isRollback, lockTarget, readQueue, saveStartedAlone, saveState } from '../store/store.ts'
import type { DeploymentRow } from '../store/tables.ts'
import { typeOf } from '../types/deployment-types.ts'
import { decisionMade } from './decisions.ts'
import { queueTimedOut } from './failures.ts'
import { noGates, queueGates } from './gates.ts'
import { type DeploymentState, finish } from './state.ts'

/**
 * Starts the oldest queued deployment of a module instance if none is active. Returns undefined if none can start. A
 * call that is repeated after a crash returns the deployment that it started, which is safe.
 */
export async function startNext(
  db: Db,
  { organizationId, moduleInstanceId }: Pick<DeploymentRow, 'organizationId' | 'moduleInstanceId'>,
  clock: () => Date,
): Promise<DeploymentRow | undefined> {
  const started = async (tx: Db) => {
    await lockTarget(tx, moduleInstanceId)
    // Read after the lock is acquired: the active deployment may have ended while this call waited for the lock.
    const now = clock()
    const { active, pending, isRuled } = await readQueue(tx, moduleInstanceId)
    if (active) return hasJustStarted(active) ? active : undefined
    const gates = isRuled ? queueGates(tx, { organizationId, pending }, now) : noGates
    for (const row of pending) {
      if (!row.deadlineAt || row.deadlineAt > now) {
        if (await endIfSuperseded(tx, row, now)) continue
        const ready = await gates.admit(row)
        if (!ready) continue
        const saved = await saveState(tx, row, typeOf(row).start(ready, now))
        if (saved) await gates.supersedeUnapproved(saved)
        return saved
      }
      const saved = await saveState(tx, row, finish<DeploymentState>(row, 'CANCELLED', now, queueTimedOut()))
      if (saved) await recordChange(tx, serviceAuthor(row.organizationId), decisionMade('deployments.end', row, saved))
    }
    return undefined
  }
  // Many deployments may start at the same time when a freeze ends.
  return runWithWorkerResults(organizationId, () => db.transaction(started), { isOwn: true })
}

/**
 * Starts a queued deployment if it is the only one of its instance; otherwise starts the next one in the queue if none
 * is active.
 */
export async function startInTurn(db: Db, row: DeploymentRow, clock: () => Date): Promise<DeploymentRow | undefined> {
  const now = clock()
  const isOrdinary = !isRollback(row) && asking(row.data.policies ?? []).length === 0
  const mayBeAlone = isOrdinary && (!row.deadlineAt || row.deadlineAt > now)
  const started = mayBeAlone ? await saveStartedAlone(db, row, typeOf(row).start(row, now)) : undefined
  return started ?? startNext(db, row, clock)
}

/** Reports whether the deployment's events show only that it waited and started. */
const hasJustStarted = ({ data: { events = [] } }: DeploymentRow): boolean =>
  events.filter(({ stepCode }) => stepCode !== 'QUEUED').length <= 1
