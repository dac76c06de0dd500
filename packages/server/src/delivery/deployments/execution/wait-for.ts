import type { Db } from '../../../platform/db/open.ts'
import { saveStanding } from '../store/store.ts'
import type { DeploymentRow } from '../store/tables.ts'
import { kindOf } from '../types/deployment-types.ts'
import { type Standing, wait } from './state.ts'

/** What a deployment waits for: until when, unless it is somebody who ends it. */
type Wait = { message: string; until: Date | undefined; waitingFor: string }

/** Has a deployment wait on and say what for; as it is then. What it says already is not written again. */
export async function waitFor(
  tx: Db,
  row: DeploymentRow,
  { message, until, waitingFor }: Wait,
  now: Date,
): Promise<DeploymentRow> {
  const isSaid = row.data.events?.at(-1)?.message === message
  const noted: Standing = isSaid ? row : kindOf(row).note(row, 'QUEUED', now, { message })
  const wakeAt = until ?? row.deadlineAt ?? now
  const next = wait(noted, now, wakeAt.getTime() - now.getTime(), waitingFor)
  if (isSaid && row.wakeAt?.getTime() === next.wakeAt?.getTime()) return row
  return (await saveStanding(tx, row, next)) ?? row
}
