import type { Db } from '../../../platform/db/open.ts'
import { saveState } from '../store/store.ts'
import type { DeploymentRow } from '../store/tables.ts'
import { typeOf } from '../types/deployment-types.ts'
import { type DeploymentState, pollAfter } from './state.ts'

/** Condition that a deployment waits for, and its end; `until` is undefined if a user ends the wait. */
type Wait = { message: string; until: Date | undefined; waitingFor: string }

/**
 * Lets a queued deployment wait and records the reason as an event, unless the last event says the same. Returns its
 * new state.
 */
export async function keepQueued(
  tx: Db,
  row: DeploymentRow,
  { message, until, waitingFor }: Wait,
  now: Date,
): Promise<DeploymentRow> {
  const isSaid = row.data.events?.at(-1)?.message === message
  const noted: DeploymentState = isSaid ? row : typeOf(row).note(row, 'QUEUED', now, { message })
  const wakeAt = until ?? row.deadlineAt ?? now
  const next = pollAfter(noted, now, wakeAt.getTime() - now.getTime(), waitingFor)
  if (isSaid && row.wakeAt?.getTime() === next.wakeAt?.getTime()) return row
  return (await saveState(tx, row, next)) ?? row
}
