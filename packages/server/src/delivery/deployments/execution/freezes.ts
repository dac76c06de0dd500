import type { FrozenAct } from '@sluice/contract'
import type { Rule } from '../../../gates/approval-rules/machine.ts'
import { allApprovalRules } from '../../../gates/approval-rules/store.ts'
import { endOfFreeze, type Intent, inWords, type Stop, stopping, wayOut } from '../../../gates/freezes/machine.ts'
import { freezesOf } from '../../../gates/freezes/store.ts'
import { holding, inWords as holdsInWords } from '../../../gates/holds/machine.ts'
import { holdsOn } from '../../../gates/holds/store.ts'
import { recordFreezeWarnings } from '../../../gates/warnings.ts'
import { theService } from '../../../identity/audit-events/author.ts'
import type { Db } from '../../../platform/db/open.ts'
import { Refusal } from '../../../platform/http/refusal.ts'
import { present } from '../../../platform/present.ts'
import { type Approved, untilApproved } from '../approvals/until-approved.ts'
import { isRollback } from '../store/store.ts'
import type { DeploymentRow } from '../store/tables.ts'
import { judgedAgain } from './policies.ts'
import { type PollPace, type Standing, wait } from './state.ts'
import { giveWay } from './supersede.ts'
import { waitFor } from './wait-for.ts'

/** What releases are of. */
type Target = { organizationId: string; projectId: string; environmentId: string; moduleInstanceId: string }

/** Refuses what a freeze stops: what is refused instead of waiting, and what cannot wait. */
export async function refuseIfFrozen(tx: Db, place: Target, act: FrozenAct, now: Date): Promise<void> {
  const known = await freezesOf(tx, place.organizationId, now)
  const stop = stopping(known, { act, place, now })
  if (stop && (act === 'CONTINUES' || stop.isRefused)) throw frozen(stop)
  if (act !== 'CONTINUES') return
  await recordFreezeWarnings(tx, place.organizationId, { known, intent: { act, place, now } }, subjectOf(place))
}

const frozen = (stop: Stop): Refusal =>
  new Refusal('frozen', `It is stopped by ${inWords(stop)}.`, {
    description: `Wait until then. ${wayOut(stop)}`,
    metadata: present({ ...stop, until: stop.until.toISOString() }),
  })

/** A release that its checks would let go on, standing on until the end of a freeze; undefined where none stops it. */
export async function keptPaused(
  tx: Db,
  row: DeploymentRow,
  { pausedMaxMs }: Pick<PollPace, 'pausedMaxMs'>,
  now: Date,
): Promise<Standing | undefined> {
  const known = await freezesOf(tx, row.organizationId, now)
  const stop = stopping(known, { act: 'CONTINUES', place: row, now })
  return stop && wait<Standing>(row, now, Math.min(pausedMaxMs, stop.until.getTime() - now.getTime()), endOfFreeze)
}

/** What stands between the deployments of an instance and their start. */
export type Keeper = {
  /** One as it may start; undefined of one that must wait on, which says so then and is woken when that is over. */
  ready(row: DeploymentRow): Promise<DeploymentRow | undefined>
  /** Has those give way that nobody has approved, to a newer one that was and has started. */
  leaveBehind(started: DeploymentRow): Promise<void>
}

/** The keeper where an organization has no rules about releasing. */
export const nobody: Keeper = { ready: async (row) => row, leaveBehind: async () => {} }

/** The keeper in an organization that has freezes, holds, approval rules or policies. */
export async function keeperOf(tx: Db, pending: readonly DeploymentRow[], now: Date): Promise<Keeper> {
  const [first] = pending
  if (!first) return nobody
  const known = await freezesOf(tx, first.organizationId, now)
  const held = await holdsOn(tx, first.organizationId, first)
  const rules = await allApprovalRules(tx, first.organizationId)
  const newest = pending.findLast((row) => !isRollback(row))
  const isStopped = async (row: DeploymentRow): Promise<boolean> => {
    const [hold, ...holds] = isRollback(row) ? [] : holding(held, row)
    if (hold) {
      const message = holdsInWords([hold, ...holds])
      await waitFor(tx, row, { message, until: undefined, end: 'the end of a hold' }, now)
      return true
    }
    const stop = stopping(known, intentOf(row, now))
    if (!stop) return false
    const isPassedOver = stop.keepsNewest && newest !== undefined && row.id !== newest.id && !isRollback(row)
    if (isPassedOver) await giveWay(tx, theService(row.organizationId), { row, to: newest }, now)
    else {
      const message = `It waits for the end of ${inWords(stop)}`
      await waitFor(tx, row, { message, until: stop.until, end: endOfFreeze }, now)
    }
    return true
  }
  const unapproved: DeploymentRow[] = []
  return {
    async ready(row) {
      if (await isStopped(row)) return undefined
      const { may, row: next } = await untilAllowed(tx, row, rules, now)
      if (may === 'wait' && !isRollback(row)) unapproved.push(next)
      if (may !== 'start') return undefined
      await recordFreezeWarnings(tx, row.organizationId, { known, intent: intentOf(row, now) }, subjectOf(row))
      return next
    },
    async leaveBehind(started) {
      if (isRollback(started)) return
      for (const row of unapproved) await giveWay(tx, theService(row.organizationId), { row, to: started }, now)
    },
  }
}

/**
 * What nothing else keeps any more, once enough have approved it: by policies of now, too, it may start; or it ends; or
 * waits for those whom they ask by now.
 */
async function untilAllowed(tx: Db, row: DeploymentRow, rules: readonly Rule[], now: Date): Promise<Approved> {
  const approved = await untilApproved(tx, row, rules, now)
  if (approved.may !== 'start') return approved
  const { isAskedMore, ...again } = await judgedAgain(tx, approved.row, now)
  return isAskedMore ? untilApproved(tx, again.row, rules, now) : again
}

const intentOf = (row: DeploymentRow, now: Date): Intent => ({
  act: isRollback(row) ? 'ROLLBACKS' : 'RELEASES',
  place: row,
  now,
})

const subjectOf = ({ moduleInstanceId, id }: Target & { id?: string }) => ({ moduleInstanceId, deploymentId: id })
