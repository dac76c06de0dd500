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
  const { db, clock, timers } = parts
  const { seq, isTold = false }: WakeUp = message.payload ?? {}
  const id = message.key
  const readAt = performance.now()
  const loaded = await loadForWork(db, id)
  if (!loaded || isFinal(loaded.row.status)) return undefined // who ended it follows that up
  if (seq !== undefined && seq !== loaded.row.wakeSeq) return undefined // a timer from before the last write
  const seen = await lookAsFarAsMayBe(parts, { ...loaded, isTold, readAt })
  if (seen === loaded.row) return message
  const row = await saveStanding(db, loaded.row, seen)
  if (!row) return message
  // What has been written makes the number of the message one from before: the engine would take it for an old timer.
  if (isDue(row, clock())) return toDeployment(id, { isTold })
  timers.set(toDeployment(id, { seq: row.wakeSeq }), msUntilDue(row, clock()))
  return undefined
}

/**
 * Where the looks that follow at once lead, until it waits again, or to what is not for a look alone; the row itself
 * where already the first is not. A look changes nothing: if the process dies, it is taken again.
 */
async function lookAsFarAsMayBe(parts: LookParts, read: Read): Promise<Standing> {
  const { clock } = parts
  let seen: Standing = read.row
  for (let left = mostLooksAtOnce; left > 0; left--) {
    const row = { ...read.row, ...seen }
    const kind = kindOf(row)
    const action = kind.nextAction(row, clock())
    if (action.do === 'rest' || action.do === 'expire' || !kind.onlyReads(action)) break
    const next = await outcomeOf(parts, { ...read, row }, row, action)
    if (!isOnlyLater(read.row, next)) break
    seen = next
    if (!isDue(seen, clock())) break
  }
  return seen
}

/** Whether nothing became of it but that it stands somewhere else, or is looked at again later. */
const isOnlyLater = (row: DeploymentRow, next: Standing): boolean =>
  next.status === row.status && ownDecisions(row, next).length === 0 && !(row.pipelineRunId && isPaused(next))
