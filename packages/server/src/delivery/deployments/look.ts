import type { PartsOf } from '../../platform/db/ownership.ts'
import type { Message } from '../../platform/engine/messages.ts'
import type { Timers } from '../../platform/engine/timers.ts'
import type { Look } from '../../platform/engine/wake-ups.ts'
import { ownDecisions } from './decisions.ts'
import { kindOf } from './kinds.ts'
import { isFinal } from './machine.ts'
import { type OutcomeParts, outcomeOf, type Read } from './outcome.ts'
import { isDue, isPaused, msUntilDue, type Standing } from './standing.ts'
import { loadForWork, saveStanding } from './store.ts'
import type { DeploymentRow } from './tables.ts'
import { toDeployment, type WakeUp } from './wake.ts'

type LookParts = OutcomeParts & { timers: Timers }

/** Looks that follow at once are taken in one go, as in the engine's calls. */
const mostLooksAtOnce = 8

/**
 * A look at a deployment without a turn at the engine, by whichever process is told of it first: most looks find that
 * the cloud is not done yet, which several may find at the same time. It is written down only where nobody else wrote
 * meanwhile. Whatever else comes of it, a call of the engine has to find for itself: what changes the cloud, what
 * somebody waits for, what ends the deployment, or a decision of the service.
 */
export const lookAlone =
  (partsOf: PartsOf<LookParts>): Look =>
  async (message) => {
    const parts = await partsOf(message.key)
    return parts && look(parts, message)
  }

async function look(parts: LookParts, message: Message): Promise<Message | undefined> {
  const { seq, isTold = false }: WakeUp = message.payload ?? {}
  const id = message.key
  const readAt = performance.now()
  const loaded = await loadForWork(parts.db, id)
  if (!loaded || isFinal(loaded.row.status)) return undefined // who ended it follows that up
  if (seq !== undefined && seq !== loaded.row.wakeSeq) return undefined // a timer from before the last write
  let read = { ...loaded, isTold, readAt }
  // What has been written makes the number of the message one from before: the engine would take it for an old timer.
  const goOn = () => (read.row === loaded.row ? message : toDeployment(id, { isTold }))
  for (let left = mostLooksAtOnce; left > 0; left--) {
    const lookedAt = performance.now()
    const row = await looked(parts, read)
    if (!row) return goOn()
    if (!isDue(row, parts.clock())) {
      parts.timers.set(toDeployment(id, { seq: row.wakeSeq }), msUntilDue(row, parts.clock()))
      return undefined
    }
    read = { ...read, row, readAt: lookedAt }
  }
  return goOn()
}

/** The row as the look has left it; undefined where it is not for a look alone, or has changed meanwhile. */
async function looked(parts: LookParts, read: Read): Promise<DeploymentRow | undefined> {
  const { db, clock } = parts
  const { row } = read
  const kind = kindOf(row)
  const action = kind.nextAction(row, clock())
  if (action.do === 'rest' || action.do === 'expire' || !kind.onlyReads(action)) return undefined
  const next = await outcomeOf(parts, read, row, action)
  return isOnlyLater(row, next) ? saveStanding(db, row, next) : undefined
}

/** Whether nothing became of it but that it stands somewhere else, or is looked at again later. */
const isOnlyLater = (row: DeploymentRow, next: Standing): boolean =>
  next.status === row.status && ownDecisions(row, next).length === 0 && !(row.pipelineRunId && isPaused(next))
