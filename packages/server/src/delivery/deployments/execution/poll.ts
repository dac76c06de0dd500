import { isReturn } from '../../../gates/hold-after-rollback.ts'
import { theService } from '../../../identity/audit-events/author.ts'
import type { Db } from '../../../platform/db/open.ts'
import type { PartsOf } from '../../../platform/db/ownership.ts'
import type { Message } from '../../../platform/engine/messages.ts'
import type { Timers } from '../../../platform/engine/timers.ts'
import type { Look } from '../../../platform/engine/wake-ups.ts'
import { toResources } from '../../deployment-resources/wake.ts'
import { hasUnfinished, loadForWork, saveDecided, saveStanding } from '../store/store.ts'
import type { DeploymentRow } from '../store/tables.ts'
import { kindOf } from '../types/deployment-types.ts'
import { decisionMade, ownDecisions } from './decisions.ts'
import { isFinal } from './machine.ts'
import { type OutcomeParts, outcomeOf, type Read } from './outcome.ts'
import { pastReleasesIn } from './past-releases.ts'
import type { Reading, RecentReadings } from './recent-reads.ts'
import { isDue, isPaused, msUntilDue, type Standing } from './state.ts'
import { toDeployment, type WakeUp } from './wake.ts'

type LookParts = OutcomeParts & {
  db: Db
  timers: Timers
  readings: RecentReadings
  /** Resolves once the engine has the message; rejects where it does not take it. */
  send: (message: Message) => Promise<unknown>
}

/** Looks that follow at once are taken in one go, as in the engine's calls. */
const mostLooksAtOnce = 8

/**
 * A look at a deployment without a turn at the engine, by whichever process is told of it first: most looks find that
 * the cloud is not done yet, which several may find at the same time, and the last one that it has succeeded. It is
 * written down only where nobody else wrote meanwhile. Whatever else comes of it, a call of the engine has to find for
 * itself: what changes the cloud, what somebody waits for, or a decision of the service.
 */
export function lookAlone(partsOf: PartsOf<LookParts>): Look {
  /** Those that are looked at now, with what came meanwhile: one more look after that sees it all. */
  const inProgress = new Map<string, Message | undefined>()

  async function lookWhileTold(parts: LookParts, first: Message): Promise<Message | undefined> {
    const { key } = first
    try {
      for (let message = first; ; ) {
        inProgress.set(key, undefined)
        let left: Message | undefined
        try {
          left = await look(parts, message)
        } catch (error) {
          if (!inProgress.get(key)) throw error // and whoever asked for the look tells the engine
          left = message
        }
        const meanwhile = inProgress.get(key)
        if (left && meanwhile) return latterOf(left, meanwhile)
        if (!meanwhile) return left
        message = meanwhile
      }
    } finally {
      inProgress.delete(key) // in the same turn: what comes from now on is looked at by itself
    }
  }

  return async (message) => {
    const { key } = message
    const parts = await partsOf(key)
    if (!parts) return undefined
    if (!isHint(message)) return look(parts, message) // somebody waits for what comes of it
    if (inProgress.has(key)) {
      const before = inProgress.get(key)
      inProgress.set(key, before ? latterOf(before, message) : message)
      return undefined
    }
    return lookWhileTold(parts, message)
  }
}

/** A timer, or what the cloud tells; else somebody has written the row just now. */
const isHint = ({ payload }: Message): boolean => {
  const { seq, isTold = false }: WakeUp = payload ?? {}
  return seq !== undefined || isTold
}

/** The one that counts when both do: one without a number always does, and an earlier timer may be over. */
function latterOf(one: Message, other: Message): Message {
  const numberOf = ({ payload }: Message) => (payload as WakeUp | undefined)?.seq ?? Number.POSITIVE_INFINITY
  return numberOf(one) > numberOf(other) ? one : other
}

async function look(parts: LookParts, message: Message): Promise<Message | undefined> {
  const { db, readings } = parts
  const { seq }: WakeUp = message.payload ?? {}
  const id = message.key
  const known = isHint(message) ? readings.find(id) : undefined
  if (known && (seq === undefined || seq === known.row.wakeSeq)) {
    const seen = await lookFrom(parts, known, message)
    if (seen) return seen.left
    readings.isOutdated(known)
  }
  const readAt = performance.now()
  const loaded = await loadForWork(db, id)
  if (!loaded || isFinal(loaded.row.status)) return undefined // who ended it follows that up
  if (seq !== undefined && seq !== loaded.row.wakeSeq) return undefined // a timer from before the last write
  const { row, account } = loaded
  const seen = await lookFrom(parts, { row, account, readAt, loadedAt: readAt }, message)
  return seen ? seen.left : message
}

/** What is left to the engine after a look; undefined where somebody else wrote since the reading. */
async function lookFrom(
  parts: LookParts,
  reading: Reading,
  message: Message,
): Promise<{ left: Message | undefined } | undefined> {
  const { db, clock, timers, readings } = parts
  const { isTold = false }: WakeUp = message.payload ?? {}
  const id = message.key
  const seen = await lookAsFarAsMayBe(parts, { ...reading, isTold })
  if (seen === reading.row) return { left: message }
  if (isFinal(seen.status)) return endAsSeen(parts, reading.row, seen)
  const readAt = performance.now()
  const row = await saveStanding(db, reading.row, seen)
  if (!row) return undefined
  readings.add({ ...reading, row, readAt }, clock())
  // What has been written makes the number of the message one from before: the engine would take it for an old timer.
  if (isDue(row, clock())) return { left: toDeployment(id, { isTold }) }
  timers.set(toDeployment(id, { seq: row.wakeSeq }), msUntilDue(row, clock()))
  return { left: undefined }
}

/**
 * Ends a release that has succeeded; undefined where somebody else wrote meanwhile. The engine is told before of what
 * is done once it is over, as this process may be gone by then, and told to let the next one start where one waits:
 * that one also starts by itself, some seconds later.
 */
async function endAsSeen(
  { db, send, timers, readings }: LookParts,
  row: DeploymentRow,
  seen: Standing,
): Promise<{ left: Message | undefined } | undefined> {
  const { id, organizationId, moduleInstanceId } = row
  await send(toResources(id))
  const change = decisionMade('deployments.end', row, seen)
  const isSaved = await saveDecided(db, row, seen, { author: theService(organizationId), change })
  if (!isSaved) return undefined
  timers.clear(toDeployment(id))
  readings.forget(id)
  return { left: (await hasUnfinished(db, moduleInstanceId)) ? toDeployment(id) : undefined }
}

/**
 * Where the looks that follow at once lead, until it waits again or has succeeded, or to what is not for a look alone;
 * the row itself where already the first is not. A look changes nothing: if the process dies, it is taken again.
 */
async function lookAsFarAsMayBe(parts: LookParts, read: Read<DeploymentRow>): Promise<Standing> {
  const { clock } = parts
  let seen: Standing = read.row
  for (let left = mostLooksAtOnce; left > 0; left--) {
    const row = { ...read.row, ...seen }
    const kind = kindOf(row)
    const action = kind.nextAction(row, clock())
    if (action.do === 'rest' || action.do === 'expire' || !kind.onlyReads(action)) break
    const next = await outcomeOf({ ...parts, ...pastReleasesIn(parts.db) }, { ...read, row }, row, action)
    if (isSuccessAlone(read.row, next)) return next
    if (!isOnlyLater(read.row, next)) break
    seen = next
    if (!isDue(seen, clock())) break
  }
  return seen
}

/** Whether nothing became of it but that it stands somewhere else, or is looked at again later. */
const isOnlyLater = (row: DeploymentRow, next: Standing): boolean =>
  next.status === row.status && ownDecisions(row, next).length === 0 && !(row.pipelineRunId && isPaused(next))

/** Whether it has succeeded, which nothing else comes of: no step of a run waits for it, and no hold follows. */
const isSuccessAlone = (row: DeploymentRow, next: Standing): boolean =>
  next.status === 'SUCCESS' &&
  !row.pipelineRunId &&
  !isReturn({ ...row, ...next }) &&
  ownDecisions(row, next).length === 1
