import { type DeploymentStatus, failures, type TriggerSource } from '@sluice/contract'
import type { LoadedGate } from '../evaluate.ts'
import type { Scope } from '../scope.ts'
import type { HoldRow } from './tables.ts'

type Holding = Pick<
  HoldRow,
  'id' | 'createdAt' | 'reason' | 'heldBy' | 'environmentId' | 'moduleInstanceId' | 'liftedAt'
>
type Target = Pick<Scope, 'environmentId' | 'moduleInstanceId'>

/** What keeps newer releases from an instance, the oldest first: each of them must be let go. */
export const holding = <H extends Holding>(holds: readonly H[], target: Target): H[] =>
  holds
    .filter((hold) => hold.liftedAt === null && isOf(hold, target))
    .toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime())

const isOf = ({ environmentId, moduleInstanceId }: Holding, target: Target): boolean =>
  moduleInstanceId === null ? environmentId === target.environmentId : moduleInstanceId === target.moduleInstanceId

/** Releases wait until every hold is lifted; rollbacks pass. */
export const holdGate = (holds: readonly Holding[]): LoadedGate => ({
  blocker({ action, scope }) {
    const [first, ...others] = action === 'RELEASES' ? holding(holds, scope) : []
    if (!first) return undefined
    const message = inWords([first, ...others])
    return { decision: 'wait', gate: 'HOLD', message, until: undefined, waitingFor: 'the end of a hold' }
  },
  warnings: () => [],
})

/** What people read of those that hold something: the oldest one, and the way out. */
export function inWords([first, ...others]: readonly [Holding, ...Holding[]]): string {
  const { id, heldBy, createdAt, reason } = first
  const more = others.length === 0 ? '' : ` ${othersInWords(others.length)} after that.`
  const why = `${reason}${/[.!?]$/.test(reason) ? '' : '.'}`
  const wayOut = `Anyone with the permission holds:write can lift the hold: POST /holds/${id}/lift.`
  return `${heldBy} has held it since ${createdAt.toISOString()}: ${why}${more} ${wayOut}`
}

const othersInWords = (count: number): string =>
  count === 1 ? 'One more hold must be lifted' : `${count} more holds must be lifted`

/** How a deployment ended. */
type Ended = { status: DeploymentStatus; triggerSource: TriggerSource; error: { code: string } | null }

/**
 * Whether an instance is back at an earlier release by this: because the newer one was not good. Whoever cancels a
 * release does not say so of it, and for one that was turned back on request the rollback stands that takes its place.
 */
export function isReturn({ status, triggerSource, error }: Ended): boolean {
  if (status === 'SUCCESS') return triggerSource === 'ROLLBACK'
  return status === 'ROLLED_BACK' && !notForItsFault.some((code) => code === error?.code)
}

const notForItsFault = [failures.cancelled.code, failures.rolledBackOnRequest.code] as const
