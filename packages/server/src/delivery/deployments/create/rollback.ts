import { apiErrors, type DeploymentRollback, maxRollbackTargets } from '@sluice/contract'
import type { ModuleInstanceRow } from '../../../modules/module-instances/tables.ts'
import type { Db } from '../../../platform/db/open.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { newId } from '../../../platform/ids.ts'
import { decide } from '../execution/decide.ts'
import { endQueuedDeployment } from '../execution/end-waiting.ts'
import { rollbackOvertaken, rolledBackOnRequest } from '../execution/failures.ts'
import { expectAdmitted } from '../execution/gates.ts'
import { findDeployment, findReleaseBefore, isRollback, readQueue } from '../store/store.ts'
import type { DeploymentRow } from '../store/tables.ts'
import { typeOf } from '../types/deployment-types.ts'
import type { Release } from '../types/release.ts'
import {
  insertNext,
  lockExistingTarget,
  rejectPreviewReplay,
  replayOf,
  type Trigger,
  targetNotFound,
} from './accept.ts'
import { queuedBehind } from './queued-behind.ts'
import { readHistory } from './release-history.ts'
import { newerThan, type PastDeployment, type ReleaseOrder, releaseOrder, wasLiveBefore } from './release-order.ts'
import { findTarget } from './target.ts'

/**
 * Accepts a rollback to an earlier release: a deployment of its own, placed first in the queue. A rollback skips holds
 * and most other gates, so it never leads to a newer release than the live one. Also starts the rollback of a source
 * deployment that is still active, in the same transaction.
 */
export async function acceptRollback(
  db: Db,
  trigger: Trigger,
  fromId: string,
  toId: string | undefined,
  clock: () => Date,
): Promise<DeploymentRow | undefined> {
  const { organizationId } = trigger.author
  const found = await findDeployment(db, organizationId, fromId)
  if (!found) return undefined
  return db.transaction(async (tx) => {
    const { isRuled } = await lockExistingTarget(tx, found.moduleInstanceId)
    const to = await rollbackTarget(tx, found, toId)
    await rejectPreviewReplay(tx, to)
    await rejectDuplicateRollback(tx, to)
    const id = newId('dep')
    const replay = replayOf(to, 'rollback', { ...trigger, id }, clock())
    const again = isRuled ? await expectAdmitted(tx, replay, clock()) : replay
    const row = await rollBackActive(tx, trigger, found, { id, to: to.id }, clock)
    const description = `Rollback of ${row.id}${row.description === '' ? '' : `: ${row.description}`}`
    const now = clock()
    // It is placed before all queued deployments except earlier rollbacks.
    const { active, pending } = await readQueue(tx, found.moduleInstanceId)
    const queued = queuedBehind(again, { active, pending: pending.filter(isRollback) }, now)
    return insertNext(tx, trigger.author, { ...queued, description, rollbackToDeploymentId: to.id }, now)
  })
}

/**
 * Returns the deployment to roll back to: the given one, or the last success before `from`. It is never `from` itself.
 */
async function rollbackTarget(tx: Db, from: DeploymentRow, toId: string | undefined): Promise<DeploymentRow> {
  const to =
    toId === undefined ? await findReleaseBefore(tx, from) : await findDeployment(tx, from.organizationId, toId)
  if (!to && toId === undefined) throw noEarlierRelease(from)
  const order = releaseOrder(await readHistory(tx, from))
  const wrong = invalidTarget(from, to, order)
  if (!to || wrong !== undefined) {
    throw new ApiError('rollbackTargetInvalid', `Cannot roll back to ${to?.id ?? toId}: ${wrong}.`)
  }
  const live = newerThan(order, to.id)
  if (live) throw targetNewer(to, live)
  return to
}

function noEarlierRelease({ id, moduleInstanceId }: DeploymentRow): ApiError {
  const message = `No deployment of the module instance ${moduleInstanceId} before ${id} succeeded, so there is no release to return to.`
  return new ApiError('noEarlierRelease', message)
}

/**
 * Returns the error for a target that is newer than the live release: that is a new release, which must pass the gates.
 */
const targetNewer = (to: DeploymentRow, live: PastDeployment): ApiError =>
  new ApiError(
    'rollbackTargetNewer',
    `Cannot roll back to ${to.id}: its release is newer than that of ${live.id}, which is serving traffic.`,
    {
      description: `To release it, deploy it again: POST /deployments/${to.id}/redeploy. Freezes, holds, approval rules and policies count for that.`,
      metadata: { toDeploymentId: to.id, liveDeploymentId: live.id },
    },
  )

function invalidTarget(from: DeploymentRow, to: DeploymentRow | undefined, order: ReleaseOrder): string | undefined {
  if (!to) return 'there is no such deployment'
  if (to.moduleInstanceId !== from.moduleInstanceId) {
    return `it is of the module instance ${to.moduleInstanceId}, not of ${from.moduleInstanceId}`
  }
  if (to.id === from.id) return 'it is the deployment that is to be rolled back'
  if (to.deploymentType !== from.deploymentType) return `it is of the type ${to.deploymentType}`
  if (to.status !== 'SUCCESS') return `it ended as ${to.status}, and only a success is known to work`
  return wasLiveBefore(order, to.id, from) || newerThan(order, to.id) ? undefined : `it was not live before ${from.id}`
}

/**
 * Returns what a rollback of the latest deployment of a module instance releases. Rejects a target that a rollback
 * would reject, and a release in progress, which the rollback would end first.
 */
export async function resolveRollback(
  db: Db,
  organizationId: string,
  { moduleInstanceId, toId }: { moduleInstanceId: string; toId: string },
): Promise<{ instance: ModuleInstanceRow; release: Release }> {
  const target = await findTarget(db, organizationId, moduleInstanceId)
  if (!target) throw targetNotFound(moduleInstanceId)
  const { active, pending } = await readQueue(db, moduleInstanceId)
  if (active) throw notRehearsable(toId, `the deployment ${active.id} is in progress. Rehearse it when that has ended`)
  const history = await readHistory(db, { organizationId, moduleInstanceId })
  const latest = history.findLast(({ id }) => pending.every((row) => row.id !== id))
  const from = latest && (await findDeployment(db, organizationId, latest.id))
  if (!from) throw notRehearsable(toId, 'nothing was deployed to the module instance')
  const to = await rollbackTarget(db, from, toId)
  await rejectPreviewReplay(db, to)
  return { instance: target.instance, release: typeOf(to).replay(to, 'rollback').release }
}

const notRehearsable = (toId: string, why: string) =>
  new ApiError('rollbackTargetInvalid', `Cannot rehearse a rollback to ${toId}: ${why}.`)

/** Returns which deployments a deployment can be rolled back to now, and the default target. */
export async function rollbackOf(db: Db, from: DeploymentRow): Promise<DeploymentRollback> {
  const order = releaseOrder(await readHistory(db, from))
  const targets = order.successes
    .filter(({ id, deploymentType }) => id !== from.id && deploymentType === from.deploymentType)
    .filter(({ id }) => wasLiveBefore(order, id, from) && !newerThan(order, id))
    .slice(0, maxRollbackTargets)
    .map(({ id }) => id)
  if (from.status === 'PENDING') return { error: apiErrorToWire(nothingChanged(from)), targets: [] }
  try {
    return { toDeploymentId: (await rollbackTarget(db, from, undefined)).id, targets }
  } catch (error) {
    if (error instanceof ApiError) return { error: apiErrorToWire(error), targets }
    throw error
  }
}

const apiErrorToWire = ({ key, message, extras }: ApiError) => ({
  code: apiErrors[key].code,
  message: [message, extras.description].filter(Boolean).join(' '),
})

/**
 * Ends a rollback that is about to start if its release has become newer than the live one, such as after another
 * rollback. Returns whether it did. Must be called while holding the lock of the instance.
 */
export async function endIfSuperseded(tx: Db, row: DeploymentRow, now: Date): Promise<boolean> {
  if (!row.rollbackToDeploymentId) return false
  const live = newerThan(releaseOrder(await readHistory(tx, row)), row.rollbackToDeploymentId)
  if (live)
    await endQueuedDeployment(tx, row, rollbackOvertaken({ to: row.rollbackToDeploymentId, live: live.id }), now)
  return live !== undefined
}

/** Rejects a second, concurrent request for the same rollback, and names the first. */
async function rejectDuplicateRollback(tx: Db, to: DeploymentRow): Promise<void> {
  const { active, pending } = await readQueue(tx, to.moduleInstanceId)
  const same = [active, ...pending].find((row) => row?.rollbackToDeploymentId === to.id)
  if (same) throw new ApiError('rollbackUnderWay', `The deployment ${same.id} is already rolling back to ${to.id}.`)
}

/** Starts the rollback of a deployment that is still active. Leaves a finished deployment unchanged. */
async function rollBackActive(
  tx: Db,
  { author, triggeredBy }: Trigger,
  from: DeploymentRow,
  rollback: { id: string; to: string },
  clock: () => Date,
): Promise<DeploymentRow> {
  const done = await decide(tx, { author, action: 'deployments.turn-back' }, from.id, (deployment) => {
    if (deployment.status === 'PENDING') return { outcome: 'waits' }
    const next = typeOf(deployment).cancel(deployment, clock(), rolledBackOnRequest(triggeredBy, rollback))
    return next === undefined || next === deployment ? { outcome: 'left' } : { outcome: 'turned', deployment: next }
  })
  if (done?.outcome === 'waits') throw nothingChanged(from)
  return done?.row ?? from
}

const nothingChanged = ({ id }: DeploymentRow): ApiError =>
  new ApiError('nothingChanged', `The deployment ${id} is queued and has changed nothing. Cancel it instead.`)
