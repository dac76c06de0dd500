import { type DeploymentStatus, failures, type TriggerSource } from '@sluice/contract'
import type { LoadedGate } from '../evaluate.ts'
import type { Scope } from '../scope.ts'
import type { HoldRow } from './tables.ts'

type Holding = Pick<
  HoldRow,
  'id' | 'createdAt' | 'reason' | 'heldBy' | 'environmentId' | 'moduleInstanceId' | 'liftedAt'
>
type Target = Pick<Scope, 'environmentId' | 'moduleInstanceId'>

/** Returns the active holds that block newer releases of an instance, oldest first. Each of them must be lifted. */
export const activeHolds = <H extends Holding>(holds: readonly H[], target: Target): H[] =>
  holds
    .filter((hold) => hold.liftedAt === null && isOf(hold, target))
    .toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime())

const isOf = ({ environmentId, moduleInstanceId }: Holding, target: Target): boolean =>
  moduleInstanceId === null ? environmentId === target.environmentId : moduleInstanceId === target.moduleInstanceId

/** Release gate for holds. Releases wait until every hold is lifted; rollbacks proceed. */
export const holdGate = (holds: readonly Holding[]): LoadedGate => ({
  blocker({ action, scope }) {
    const [first, ...others] = action === 'RELEASES' ? activeHolds(holds, scope) : []
    if (!first) return undefined
    const message = messageFor([first, ...others])
    return { decision: 'wait', gate: 'HOLD', message, until: undefined, waitingFor: 'the end of a hold' }
  },
  warnings: () => [],
})

/** Returns the message about holds: the oldest one, and the remedy. */
export function messageFor([first, ...others]: readonly [Holding, ...Holding[]]): string {
  const { id, heldBy, createdAt, reason } = first
  const more = others.length === 0 ? '' : ` ${othersInWords(others.length)} after that.`
  const why = `${reason}${/[.!?]$/.test(reason) ? '' : '.'}`
  const wayOut = `Anyone with the permission holds:write can lift the hold: POST /holds/${id}/lift.`
  return `${heldBy} has held it since ${createdAt.toISOString()}: ${why}${more} ${wayOut}`
}

const othersInWords = (count: number): string =>
  count === 1 ? 'One more hold must be lifted' : `${count} more holds must be lifted`

/** Result of a deployment. */
type Ended = { status: DeploymentStatus; triggerSource: TriggerSource; error: { code: string } | null }

/**
 * Reports whether a deployment returned an instance to an earlier release because of a defect. Excludes a release that
 * a user cancelled, and one that a requested rollback replaced, because the rollback itself counts.
 */
export function isRollbackOfDefect({ status, triggerSource, error }: Ended): boolean {
  if (status === 'SUCCESS') return triggerSource === 'ROLLBACK'
  return status === 'ROLLED_BACK' && !codesWithoutDefect.some((code) => code === error?.code)
}

const codesWithoutDefect = [failures.cancelled.code, failures.rolledBackOnRequest.code] as const
