import type { Db } from '../../platform/db/open.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { newId } from '../../platform/ids.ts'
import { holdTarget, insertNext, refuseReplayOfPreview, replayOf, type Trigger } from './accept.ts'
import { decide } from './decide.ts'
import { rolledBackOnRequest } from './failures.ts'
import { refuseIfFrozen } from './frozen.ts'
import { judged } from './judged.ts'
import { kindOf } from './kinds.ts'
import { queuedBehind } from './queued-behind.ts'
import { findDeployment, findReleaseBefore, isRollback, readQueue } from './store.ts'
import type { DeploymentRow } from './tables.ts'

/**
 * Accepts the return from a deployment to an earlier release: a deployment of its own, which goes before all that wait.
 * One that still runs is turned back at once, which may be all it takes: the new deployment sees to the rest in its
 * turn. All of it is one transaction, so that neither is ever without the other.
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
    const { isRuled } = await holdTarget(tx, found.moduleInstanceId)
    if (isRuled) await refuseIfFrozen(tx, found, 'ROLLBACKS', clock())
    const to = await rollbackTarget(tx, found, toId)
    await refuseReplayOfPreview(tx, to)
    await refuseSecond(tx, to)
    const id = newId('dep')
    const replay = replayOf(to, 'rollback', { ...trigger, id }, clock())
    const again = isRuled ? await judged(tx, replay, clock()) : replay
    const row = await turnBack(tx, trigger, found, { id, to: to.id }, clock)
    const description = `Rollback of ${row.id}${row.description === '' ? '' : `: ${row.description}`}`
    const now = clock()
    // It goes before all that wait, but for rollbacks that were asked for earlier.
    const { active, pending } = await readQueue(tx, found.moduleInstanceId)
    const queued = queuedBehind(again, { active, pending: pending.filter(isRollback) }, now)
    return insertNext(tx, trigger.author, { ...queued, description, rollbackToDeploymentId: to.id }, now)
  })
}

/** The deployment whose release is returned to. */
async function rollbackTarget(tx: Db, from: DeploymentRow, toId: string | undefined): Promise<DeploymentRow> {
  if (toId === undefined) {
    const last = await findReleaseBefore(tx, from)
    if (last) return last
    const message = `No deployment of the module instance ${from.moduleInstanceId} before ${from.id} succeeded, so there is no release to return to.`
    throw new Refusal('noEarlierRelease', message)
  }
  const named = await findDeployment(tx, from.organizationId, toId)
  const wrong = whyNot(from, named)
  if (named && wrong === undefined) return named
  throw new Refusal('rollbackTargetInvalid', `${toId} cannot be returned to: ${wrong}.`)
}

function whyNot(from: DeploymentRow, to: DeploymentRow | undefined): string | undefined {
  if (!to) return 'there is no such deployment'
  if (to.moduleInstanceId !== from.moduleInstanceId) {
    return `it is of the module instance ${to.moduleInstanceId}, not of ${from.moduleInstanceId}`
  }
  if (to.id === from.id) return 'it is the deployment that is to be rolled back'
  if (to.deploymentType !== from.deploymentType) return `it is of the type ${to.deploymentType}`
  return to.status === 'SUCCESS' ? undefined : `it ended as ${to.status}, and only a success is known to work`
}

/** Two people who ask for the same at once get one rollback, and the second the name of it. */
async function refuseSecond(tx: Db, to: DeploymentRow): Promise<void> {
  const { active, pending } = await readQueue(tx, to.moduleInstanceId)
  const same = [active, ...pending].find((row) => row?.rollbackToDeploymentId === to.id)
  if (same) throw new Refusal('rollbackUnderWay', `The deployment ${same.id} returns to ${to.id} already.`)
}

/** Turns the deployment back where it still runs; what is over is left as it is. */
async function turnBack(
  tx: Db,
  { author, triggeredBy }: Trigger,
  from: DeploymentRow,
  rollback: { id: string; to: string },
  clock: () => Date,
): Promise<DeploymentRow> {
  const done = await decide(tx, { author, action: 'deployments.turn-back' }, from.id, (standing) => {
    if (standing.status === 'PENDING') return { outcome: 'waits' }
    const next = kindOf(standing).cancelled(standing, clock(), rolledBackOnRequest(triggeredBy, rollback))
    return next === undefined || next === standing ? { outcome: 'left' } : { outcome: 'turned', standing: next }
  })
  if (done?.outcome === 'waits') {
    throw new Refusal(
      'nothingChanged',
      `The deployment ${from.id} waits for its turn and has changed nothing; cancel it.`,
    )
  }
  return done?.row ?? from
}
