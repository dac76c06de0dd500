import type { Logger } from 'pino'
import type { Cloud } from '../../../cloud/adapter/access.ts'
import { holdAfterRollback, isReturn } from '../../../gates/hold-after-rollback.ts'
import { serviceAuthor } from '../../../identity/audit-events/author.ts'
import { recordChange } from '../../../identity/audit-events/record.ts'
import type { Db } from '../../../platform/db/open.ts'
import type { WorkOn } from '../../../platform/db/ownership.ts'
import { createRecordObject, type RecordMessage } from '../../../platform/engine/keyed-by-record.ts'
import type { Message } from '../../../platform/engine/messages.ts'
import type { Timers } from '../../../platform/engine/timers.ts'
import { toResources } from '../../deployment-resources/wake.ts'
import {
  hasUnfinished,
  isRollback,
  type LoadedDeployment,
  loadForWork,
  lockTarget,
  saveDecision,
  saveState,
} from '../store/store.ts'
import type { DeploymentRow } from '../store/tables.ts'
import type { Bookkeeping, CloudAction, TypeDefinition } from '../types/deployment-type.ts'
import { typeOf } from '../types/deployment-types.ts'
import { recordAttempt } from './attempts.ts'
import { continuesPause, decisionMade, ownDecisions } from './decisions.ts'
import { keepPaused } from './gates.ts'
import { isFinal } from './machine.ts'
import { type DeploymentRead, type OutcomeParts, outcomeOf } from './outcome.ts'
import { pastReleasesIn } from './past-releases.ts'
import { startInTurn, startNext } from './queue.ts'
import type { RecentReads } from './recent-reads.ts'
import type { FollowUps } from './recently-finished.ts'
import { type DeploymentState, isDue, isPaused, msUntilDue } from './state.ts'
import { deploymentService, toDeployment, type WakeUp } from './wake.ts'

export type DeploymentParts = OutcomeParts & {
  db: Db
  cloud: Cloud
  log: Logger
  /** Receives each deployment that starts, and whether a release gate held it back. */
  onStart: (row: Pick<DeploymentRow, 'organizationId' | 'createdAt'>, isHeldBack: boolean) => void
  /** Returns the messages to pipeline steps that wait for a deployment to pause or to end. */
  messagesToWaitingSteps: (db: Db, row: DeploymentRow) => Promise<Message[]>
  timers: Timers
  /** Recent reads, reused by polls that follow soon. */
  readings: RecentReads
  /** Calls that have followed up on finished deployments. */
  followedUp: FollowUps
}

/**
 * Engine object keyed by deployment id. Each call executes the steps that are due and schedules the wake-up for the
 * next one. A queued deployment is started if its instance is idle; a finished one starts the next in the queue.
 */
export const deploymentObject = (workOn: WorkOn<DeploymentParts>) =>
  createRecordObject<DeploymentParts, WakeUp>({
    service: deploymentService,
    handler: 'advance',
    journaledAs: 'advance',
    workOn,
    step: advance,
  })

/** Deployment that a call of the handler is working on. */
type Work = LoadedDeployment &
  DeploymentRead<DeploymentRow> & {
    /** Next action, if its attempt has been recorded already. */
    begun?: StartedAction | undefined
  }

/** Action that changes the cloud, and the state of the deployment before its attempt was recorded. */
type StartedAction = { action: CloudAction; before: DeploymentState }

async function advance(
  parts: DeploymentParts,
  { id, payload, engineRunId }: RecordMessage<WakeUp>,
): Promise<Message[]> {
  const { seq, isTold = false } = payload
  const { db, clock, followedUp } = parts
  if (followedUp.byAnother(id, engineRunId)) return []
  const readAt = performance.now()
  const loaded = await loadForWork(db, id)
  if (!loaded) return []
  const { row } = loaded
  const follow = (after: DeploymentRow) => followUpMessages(parts, after, engineRunId)
  if (isFinal(row.status)) return follow(row)
  if (seq !== undefined && seq !== row.wakeSeq) return [] // timer from before the last write
  if (row.status !== 'PENDING') return work(parts, { ...loaded, isTold, readAt }, follow)
  const startedAt = performance.now()
  const next = await startInTurn(db, row, clock)
  if (!next) return [] // the deployment is still queued
  if (next.id !== id) return [toDeployment(next.id)]
  parts.onStart(row, row.revision > 0) // a gate that holds one back writes down why
  return work(parts, { ...loaded, row: next, isTold, readAt: startedAt }, follow)
}

/**
 * Maximum number of steps that one call executes in a row. Consecutive steps need a write each but no message; the
 * limit gives other deployments a turn.
 */
const maxConsecutiveSteps = 8

async function work(
  parts: DeploymentParts,
  loaded: Work,
  follow: (row: DeploymentRow) => Promise<Message[]>,
): Promise<Message[]> {
  const { readings, clock } = parts
  readings.forget(loaded.row.id) // a poll that starts from the cached read now would be rejected because of this write
  let present = loaded
  for (let left = maxConsecutiveSteps; left > 0; left--) {
    const next = await executeStep(parts, present, left > 1)
    if (!next) return [toDeployment(loaded.row.id, {}, 0)] // a concurrent decision changed the row: start over
    present = next
    if (!isDue(present.row, clock())) break
  }
  const { row, account, readAt } = present
  readings.add({ row, account, readAt, loadedAt: loaded.readAt }, clock())
  return follow(present.row)
}

/** Returns the messages to subscribers of this change, and the next wake-up. */
async function followUpMessages(parts: DeploymentParts, row: DeploymentRow, engineRunId: string): Promise<Message[]> {
  const toSteps = await waitingStepMessages(parts, row)
  if (isFinal(row.status)) {
    parts.timers.clear(toDeployment(row.id))
    const messages = [...toSteps, ...(await nextInQueueMessages(parts, row)), ...resourceMessages(row)]
    parts.followedUp.add(row.id, engineRunId)
    return messages
  }
  const inMs = msUntilDue(row, parts.clock())
  const wakeUp = toDeployment(row.id, { seq: row.wakeSeq })
  if (inMs === 0) return [...toSteps, wakeUp]
  parts.timers.set(wakeUp, inMs)
  return toSteps
}

/** Returns the messages to pipeline steps that wait for this deployment to end or to pause. */
async function waitingStepMessages(parts: DeploymentParts, row: DeploymentRow): Promise<Message[]> {
  const concernsStep = isFinal(row.status) || isPaused(row)
  return row.pipelineRunId && concernsStep ? parts.messagesToWaitingSteps(parts.db, row) : []
}

/** Returns the message that stores the resources of a finished deployment. A deployment that never started has none. */
const resourceMessages = ({ id, startedAt }: DeploymentRow): Message[] => (startedAt === null ? [] : [toResources(id)])

/**
 * Returns the message to the next deployment in the queue. Usually none is queued, and late events call this again, so
 * that the queue is locked only if necessary.
 */
async function nextInQueueMessages({ db, clock }: DeploymentParts, row: DeploymentRow): Promise<Message[]> {
  if (!(await hasUnfinished(db, row.moduleInstanceId))) return []
  const next = await startNext(db, row, clock)
  return next ? [toDeployment(next.id)] : []
}

/**
 * Executes the next action and stores its result; returns undefined if the row changed concurrently. If the following
 * action is due at once (`mayGoOn`) and changes the cloud, the same write records its attempt.
 */
async function executeStep(parts: DeploymentParts, work: Work, mayGoOn: boolean): Promise<Work | undefined> {
  const { clock } = parts
  const kind = typeOf(work.row)
  const { row, action, before } = await startAction(parts, work)
  if (!row) return undefined
  if (action.do === 'rest') return work
  const next =
    action.do === 'expire'
      ? kind.onDeadline(row, clock())
      : await outcomeOf({ ...parts, ...pastReleasesIn(parts.db) }, { ...work, row }, before, action)
  const begun = mayGoOn ? nextChangingAction(next, clock()) : undefined
  const savedAt = performance.now() // taken before the write: the process may be suspended before the answer arrives
  const saved = await saveStep(parts, { ...work, row }, next, begun)
  return saved && { ...work, ...saved, readAt: savedAt }
}

/**
 * Determines the next action, and records its attempt if it changes the cloud. Returns no row if the row changed
 * concurrently.
 */
async function startAction({ db, clock }: DeploymentParts, { row, begun }: Work) {
  if (begun) return { row, ...begun }
  const kind = typeOf(row)
  const action = kind.nextAction(row, clock())
  const known = { action, before: row }
  if (!isChange(kind, action)) return { row, ...known }
  return { row: await saveState(db, row, recordAttempt<DeploymentState>(row, clock())), ...known }
}

/** Returns the next action if it is due at once and changes the cloud. */
function nextChangingAction(next: DeploymentState, now: Date): StartedAction | undefined {
  if (!isDue(next, now)) return undefined
  const kind = typeOf(next)
  const action = kind.nextAction(next, now)
  return isChange(kind, action) ? { action, before: next } : undefined
}

const isChange = (kind: TypeDefinition, action: CloudAction | Bookkeeping): boolean =>
  action.do !== 'rest' && action.do !== 'expire' && kind.changesCloud(action)

type Saved = Pick<Work, 'begun'> & { row: DeploymentRow }

/**
 * Stores the result of a step, together with the attempt of `begun`, and adds Sluice's own decisions to the audit log.
 */
async function saveStep(
  { db, clock, pace }: DeploymentParts,
  { row, isRuled, afterRollback }: Work,
  next: DeploymentState,
  begun: StartedAction | undefined,
): Promise<Saved | undefined> {
  const save = async (tx: Db): Promise<Saved | undefined> => {
    const saved = await saveState(tx, row, begun ? recordAttempt<DeploymentState>(next, clock()) : next)
    return saved && { row: saved, begun }
  }
  const actions = ownDecisions(row, next)
  const [action] = actions
  if (action === undefined) return save(db)
  const author = serviceAuthor(row.organizationId)
  const mayHold = afterRollback !== null && isReturn({ ...row, ...next })
  const isAsked = isRuled && continuesPause(row, next, typeOf(row).pausesTimeOut)
  if (actions.length === 1 && !begun && !mayHold && !isAsked) {
    const saved = await saveDecision(db, row, next, { author, change: decisionMade(action, row, next) })
    return saved && { row: saved, begun }
  }
  return db.transaction(async (tx) => {
    const held = isAsked ? await keepPaused(tx, row, pace, clock()) : undefined
    if (held) {
      const kept = await saveState(tx, row, held)
      return kept && { row: kept, begun: undefined }
    }
    const mode = mayHold ? afterRollback : undefined
    // Lock the instance before the deployment, in the same order as a rollback request, to avoid a deadlock.
    if (mode) await lockTarget(tx, row.moduleInstanceId)
    const saved = await save(tx)
    if (!saved) return undefined
    if (mode) await holdAfterRollback(tx, rollbackFor(saved.row), mode)
    for (const action of actions) await recordChange(tx, author, decisionMade(action, row, saved.row))
    return saved
  })
}

/** Returns a rollback in the form in which it creates a hold. */
function rollbackFor(row: DeploymentRow): Parameters<typeof holdAfterRollback>[1] {
  const { id, organizationId, projectId, environmentId, moduleInstanceId } = row
  const reason = isRollback(row) ? `${id} returned to an earlier release.` : `The release ${id} was rolled back.`
  return { organizationId, projectId, environmentId, moduleInstanceId, reason, deploymentId: id }
}
