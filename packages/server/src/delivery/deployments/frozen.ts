import type { FrozenAct } from '@sluice/contract'
import { theService } from '../../identity/audit-events/author.ts'
import type { Db } from '../../platform/db/open.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { present } from '../../platform/present.ts'
import { type Intent, inWords, type Stop, stopping, wayOut } from '../freezes/machine.ts'
import { freezesOf } from '../freezes/store.ts'
import { noteWarnings } from '../freezes/warn.ts'
import { holding, inWords as holdsInWords } from '../holds/machine.ts'
import { holdsOn } from '../holds/store.ts'
import { giveWay } from './give-way.ts'
import { kindOf } from './kinds.ts'
import { type PollPace, type Standing, wait } from './standing.ts'
import { isRollback, saveStanding } from './store.ts'
import type { DeploymentRow } from './tables.ts'

/** What releases are of. */
type Target = { organizationId: string; projectId: string; environmentId: string; moduleInstanceId: string }

/** Refuses what a freeze stops: what is refused instead of waiting, and what cannot wait. */
export async function refuseIfFrozen(tx: Db, place: Target, act: FrozenAct, now: Date): Promise<void> {
  const known = await freezesOf(tx, place.organizationId, now)
  const stop = stopping(known, { act, place, now })
  if (stop && (act === 'CONTINUES' || stop.isRefused)) throw frozen(stop)
  if (act !== 'CONTINUES') return
  await noteWarnings(tx, place.organizationId, { known, intent: { act, place, now }, of: toNote(place) })
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
  { pausedMaxMs }: PollPace,
  now: Date,
): Promise<Standing | undefined> {
  const known = await freezesOf(tx, row.organizationId, now)
  const stop = stopping(known, { act: 'CONTINUES', place: row, now })
  return (
    stop && wait<Standing>(row, now, Math.min(pausedMaxMs, stop.until.getTime() - now.getTime()), 'the end of a freeze')
  )
}

/**
 * Who keeps deployments of an instance from starting, in an organization that has freezes or holds: true of one that
 * must wait on, which says so then and is woken at the end of what it waits for.
 */
export async function keeperOf(
  tx: Db,
  pending: readonly DeploymentRow[],
  now: Date,
): Promise<(row: DeploymentRow) => Promise<boolean>> {
  const [first] = pending
  if (!first) return async () => false
  const known = await freezesOf(tx, first.organizationId, now)
  const held = await holdsOn(tx, first.organizationId, first)
  const newest = pending.findLast((row) => !isRollback(row))
  return async (row) => {
    const [hold, ...holds] = isRollback(row) ? [] : holding(held, row)
    if (hold) {
      await waitFor(tx, row, { message: holdsInWords([hold, ...holds]), until: undefined, end: 'a hold' }, now)
      return true
    }
    const intent: Intent = { act: isRollback(row) ? 'ROLLBACKS' : 'RELEASES', place: row, now }
    const stop = stopping(known, intent)
    if (!stop) {
      await noteWarnings(tx, row.organizationId, { known, intent, of: toNote(row) })
      return false
    }
    const isPassedOver = stop.keepsNewest && newest !== undefined && row.id !== newest.id && !isRollback(row)
    if (isPassedOver) await giveWay(tx, theService(row.organizationId), { row, to: newest }, now)
    else {
      const message = `It waits for the end of ${inWords(stop)}`
      await waitFor(tx, row, { message, until: stop.until, end: 'a freeze' }, now)
    }
    return true
  }
}

/** What a deployment waits for: until when, unless it is somebody who ends it. */
type Wait = { message: string; until: Date | undefined; end: string }

async function waitFor(tx: Db, row: DeploymentRow, { message, until, end }: Wait, now: Date): Promise<void> {
  const isSaid = row.data.events?.at(-1)?.message === message
  const noted: Standing = isSaid ? row : kindOf(row).note(row, 'QUEUED', now, { message })
  const wakeAt = until ?? row.deadlineAt ?? now
  const next = wait(noted, now, wakeAt.getTime() - now.getTime(), `the end of ${end}`)
  if (isSaid && row.wakeAt?.getTime() === next.wakeAt?.getTime()) return
  await saveStanding(tx, row, next)
}

const toNote = ({ moduleInstanceId, id }: Target & { id?: string }) => ({ moduleInstanceId, deploymentId: id })
