import { isReturn } from '../../../gates/hold-after-rollback.ts'
import { serviceAuthor } from '../../../identity/audit-events/author.ts'
import type { Db } from '../../../platform/db/open.ts'
import type { PartsOf } from '../../../platform/db/ownership.ts'
import type { Message } from '../../../platform/engine/messages.ts'
import type { Timers } from '../../../platform/engine/timers.ts'
import type { CheckRecord } from '../../../platform/engine/wake-ups.ts'
import { toResources } from '../../deployment-resources/wake.ts'
import { hasUnfinished, loadForWork, saveDecision, saveState } from '../store/store.ts'
import type { DeploymentRow } from '../store/tables.ts'
import { typeOf } from '../types/deployment-types.ts'
import { decisionMade, ownDecisions } from './decisions.ts'
import { isFinal } from './machine.ts'
import { type DeploymentRead, type OutcomeParts, outcomeOf } from './outcome.ts'
import { pastReleasesIn } from './past-releases.ts'
import type { RecentRead, RecentReads } from './recent-reads.ts'
import { type DeploymentState, isDue, isPaused, msUntilDue } from './state.ts'
import { toDeployment, type WakeUp } from './wake.ts'

type PollParts = OutcomeParts & {
  db: Db
  timers: Timers
  readings: RecentReads
  /** Resolves once the engine has accepted the message; rejects if it does not. */
  send: (message: Message) => Promise<unknown>
}

/** Maximum number of polls in a row, as in the engine's calls. */
const maxConsecutivePolls = 8

/**
 * Polls a deployment without a call of the engine, in the process that receives the message. Most polls find no change,
 * or that the release has succeeded, and several processes may find that at once: a write needs an unchanged row. The
 * engine handles every other outcome: changes of the cloud, notifications of waiting steps, and decisions.
 */
export function pollWithoutEngine(partsOf: PartsOf<PollParts>): CheckRecord {
  /**
   * Keys that are being polled, with the last message that arrived meanwhile. It causes one more poll, which covers all
   * of them.
   */
  const inProgress = new Map<string, Message | undefined>()

  async function lookWhileTold(parts: PollParts, first: Message): Promise<Message | undefined> {
    const { key } = first
    try {
      for (let message = first; ; ) {
        inProgress.set(key, undefined)
        let left: Message | undefined
        try {
          left = await poll(parts, message)
        } catch (error) {
          if (!inProgress.get(key)) throw error // the caller tells the engine
          left = message
        }
        const meanwhile = inProgress.get(key)
        if (left && meanwhile) return laterOf(left, meanwhile)
        if (!meanwhile) return left
        message = meanwhile
      }
    } finally {
      inProgress.delete(key) // in the same tick: later messages start a poll of their own
    }
  }

  return async (message) => {
    const { key } = message
    const parts = await partsOf(key)
    if (!parts) return undefined
    if (!isHint(message)) return poll(parts, message) // a caller waits for the result
    if (inProgress.has(key)) {
      const before = inProgress.get(key)
      inProgress.set(key, before ? laterOf(before, message) : message)
      return undefined
    }
    return lookWhileTold(parts, message)
  }
}

/** Reports whether a message is a timer or an event of the cloud. Other messages say that the row was just written. */
const isHint = ({ payload }: Message): boolean => {
  const { seq, isTold = false }: WakeUp = payload ?? {}
  return seq !== undefined || isTold
}

/** Returns the message to handle if two arrive: one without a number always wins, because the timer may be outdated. */
function laterOf(one: Message, other: Message): Message {
  const numberOf = ({ payload }: Message) => (payload as WakeUp | undefined)?.seq ?? Number.POSITIVE_INFINITY
  return numberOf(one) > numberOf(other) ? one : other
}

async function poll(parts: PollParts, message: Message): Promise<Message | undefined> {
  const { db, readings } = parts
  const { seq }: WakeUp = message.payload ?? {}
  const id = message.key
  const known = isHint(message) ? readings.find(id) : undefined
  if (known && (seq === undefined || seq === known.row.wakeSeq)) {
    const seen = await pollFrom(parts, known, message)
    if (seen) return seen.left
    readings.isOutdated(known)
  }
  const readAt = performance.now()
  const loaded = await loadForWork(db, id)
  if (!loaded || isFinal(loaded.row.status)) return undefined // the writer of the final status follows up on it
  if (seq !== undefined && seq !== loaded.row.wakeSeq) return undefined // timer from before the last write
  const { row, account } = loaded
  const seen = await pollFrom(parts, { row, account, readAt, loadedAt: readAt }, message)
  return seen ? seen.left : message
}

/** Polls from a read of the row. Returns what is left to the engine; undefined if the row changed concurrently. */
async function pollFrom(
  parts: PollParts,
  reading: RecentRead,
  message: Message,
): Promise<{ left: Message | undefined } | undefined> {
  const { db, clock, timers, readings } = parts
  const { isTold = false }: WakeUp = message.payload ?? {}
  const id = message.key
  const seen = await pollUntilWaiting(parts, { ...reading, isTold })
  if (seen === reading.row) return { left: message }
  if (isFinal(seen.status)) return endSucceeded(parts, reading.row, seen)
  const readAt = performance.now()
  const row = await saveState(db, reading.row, seen)
  if (!row) return undefined
  readings.add({ ...reading, row, readAt }, clock())
  // Drops the number of the message: after this write, the engine would ignore it as an outdated timer.
  if (isDue(row, clock())) return { left: toDeployment(id, { isTold }) }
  timers.set(toDeployment(id, { seq: row.wakeSeq }), msUntilDue(row, clock()))
  return { left: undefined }
}

/**
 * Ends a successful release; returns undefined if the row changed concurrently. Sends the follow-up to the engine
 * first, because this process may crash, and tells it to start a queued deployment, which otherwise would start some
 * seconds later.
 */
async function endSucceeded(
  { db, send, timers, readings }: PollParts,
  row: DeploymentRow,
  seen: DeploymentState,
): Promise<{ left: Message | undefined } | undefined> {
  const { id, organizationId, moduleInstanceId } = row
  await send(toResources(id))
  const change = decisionMade('deployments.end', row, seen)
  const isSaved = await saveDecision(db, row, seen, { author: serviceAuthor(organizationId), change })
  if (!isSaved) return undefined
  timers.clear(toDeployment(id))
  readings.forget(id)
  return { left: (await hasUnfinished(db, moduleInstanceId)) ? toDeployment(id) : undefined }
}

/**
 * Polls until the deployment waits, has succeeded, or needs the engine; returns the row itself if the first poll needs
 * the engine. Changes nothing in the cloud, so that a crash only repeats it.
 */
async function pollUntilWaiting(parts: PollParts, read: DeploymentRead<DeploymentRow>): Promise<DeploymentState> {
  const { clock } = parts
  let seen: DeploymentState = read.row
  for (let left = maxConsecutivePolls; left > 0; left--) {
    const row = { ...read.row, ...seen }
    const kind = typeOf(row)
    const action = kind.nextAction(row, clock())
    if (action.do === 'rest' || action.do === 'expire' || !kind.onlyReads(action)) break
    const next = await outcomeOf({ ...parts, ...pastReleasesIn(parts.db) }, { ...read, row }, row, action)
    if (isPlainSuccess(read.row, next)) return next
    if (!isOnlyRescheduled(read.row, next)) break
    seen = next
    if (!isDue(seen, clock())) break
  }
  return seen
}

/** Reports whether a poll changed nothing but the progress and the time of the next poll. */
const isOnlyRescheduled = (row: DeploymentRow, next: DeploymentState): boolean =>
  next.status === row.status && ownDecisions(row, next).length === 0 && !(row.pipelineRunId && isPaused(next))

/** Reports whether the deployment has succeeded without any other effect: no waiting pipeline step and no hold. */
const isPlainSuccess = (row: DeploymentRow, next: DeploymentState): boolean =>
  next.status === 'SUCCESS' &&
  !row.pipelineRunId &&
  !isReturn({ ...row, ...next }) &&
  ownDecisions(row, next).length === 1
