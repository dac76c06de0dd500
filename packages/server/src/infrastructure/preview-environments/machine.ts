import { isRunOver, type ModuleInstanceStatus, type PipelineRunStatus, type PreviewStatus } from '@sluice/contract'
import type { PreviewRow } from './tables.ts'

/** Module instance of a preview environment that is not destroyed. */
export type Part = {
  id: string
  givenId: string
  status: ModuleInstanceStatus
  hasStack: boolean
  /** Whether one of its runs, steps or deployments is in progress. */
  isBusy: boolean
  /** Ids of instances that refer to it. */
  referredBy: readonly string[]
  error: string | undefined
}

export type Preview = Pick<
  PreviewRow,
  | 'status'
  | 'commit'
  | 'begunCommit'
  | 'endReason'
  | 'expiresAt'
  | 'environmentId'
  | 'askedToGo'
  | 'failedTeardowns'
  | 'retryAt'
  | 'updatedAt'
>

/** Current facts on which the next action depends. */
export type PreviewFacts = {
  preview: Preview
  parts: readonly Part[]
  /** Whether the project's limit allows another preview environment. */
  hasRoom: boolean
  /** Whether the template names a pipeline. */
  hasPipeline: boolean
  /** Status of the pipeline run for the latest commit; undefined if none has started. */
  run: PipelineRunStatus | undefined
}

/** Next action. `until` is the time of the next reconciliation; without it, another event triggers one. */
export type Next =
  | { do: 'rest'; until?: Date }
  /** Changes the status and continues. */
  | { do: 'move'; to: PreviewStatus; message: string | null }
  | { do: 'expire' }
  /** Creates the environment with its instances and applies them. */
  | { do: 'create' }
  /** Updates the existing instances to the latest commit and applies them. */
  | { do: 'begin' }
  | { do: 'start the pipeline' }
  /** Cancels what is in progress. */
  | { do: 'call off'; until: Date }
  | { do: 'destroy'; ids: string[] }
  | { do: 'note a failed teardown'; message: string }
  | { do: 'remove' }

/**
 * Minimum and maximum interval between checks of something in progress, in milliseconds. It grows with the elapsed
 * time.
 */
const [soonestMs, latestMs] = [1_000, 30_000]
/** Interval between checks for room in the project, in milliseconds. */
const roomMs = 5_000

/** Delays after consecutive failed teardowns, in milliseconds. The last one repeats. */
const backOffMs = [60_000, 5 * 60_000, 15 * 60_000, 3_600_000, 6 * 3_600_000] as const

export const retryAfter = (failures: number, now: Date): Date =>
  new Date(now.getTime() + (backOffMs[Math.min(failures, backOffMs.length) - 1] ?? backOffMs[0]))

const rest = (until?: Date): Next => (until ? { do: 'rest', until } : { do: 'rest' })
const move = (to: PreviewStatus, message: string | null = null): Next => ({ do: 'move', to, message })

export function nextAction(facts: PreviewFacts, now: Date): Next {
  const { status, endReason, expiresAt, environmentId } = facts.preview
  const isWanted = endReason === null
  if (isWanted && status !== 'DESTROYED' && expiresAt <= now) return { do: 'expire' }
  if (status === 'DESTROYING') return downOf(facts, now)
  if (isWanted) return upOf(facts, now)
  if (status === 'DESTROYED') return rest()
  return environmentId === null ? move('DESTROYED') : move('DESTROYING')
}

const after = (ms: number, now: Date): Date => new Date(now.getTime() + ms)

const soon = ({ updatedAt }: Preview, now: Date): Date => {
  const tenthMs = (now.getTime() - updatedAt.getTime()) / 10
  return after(Math.min(Math.max(tenthMs, soonestMs), latestMs), now)
}

function upOf({ preview, parts, hasRoom, hasPipeline, run }: PreviewFacts, now: Date): Next {
  const { status, commit, begunCommit, environmentId, expiresAt } = preview
  if (status === 'DESTROYED') return move('WAITING')
  const isAnew = status === 'WAITING' || begunCommit !== commit
  if (environmentId === null) {
    if (!isAnew) return status === 'FAILED' ? rest(expiresAt) : move('FAILED', 'Its environment was deleted manually.')
    if (status !== 'WAITING') return move('WAITING')
    return hasRoom ? { do: 'create' } : rest(earlier(after(roomMs, now), expiresAt))
  }
  if (isAnew) return parts.some(isInWork) ? rest(soon(preview, now)) : { do: 'begin' }
  if (status !== 'CREATING') return rest(expiresAt)
  if (parts.some(isInWork)) return rest(soon(preview, now))
  const failed = parts.filter(({ status, hasStack }) => hasStack && status !== 'ACTIVE')
  if (failed.length > 0) return move('FAILED', failed.map(failureReason).join(' '))
  if (!hasPipeline) return move('READY')
  if (run === undefined) return { do: 'start the pipeline' }
  if (run === 'SUCCESS') return move('READY')
  if (run === 'ERROR' || run === 'CANCELLED') return move('FAILED', 'The run of its pipeline did not succeed.')
  return rest(soon(preview, now))
}

const earlier = (one: Date, other: Date): Date => (one < other ? one : other)

/** Reports whether its infrastructure is being changed. */
const isInWork = ({ status }: Part): boolean => status === 'UPDATING' || status === 'DESTROYING'

const failureReason = ({ givenId, error }: Part): string =>
  error === undefined ? `${givenId} was not applied.` : `${givenId}: ${error}`

/** Reports whether something other than a destroy is in progress and has not been cancelled yet. */
export const isToEnd = ({ id, isBusy, status }: Part, askedToGo: readonly string[]): boolean =>
  isBusy && status !== 'DESTROYING' && !askedToGo.includes(id)

/** Returns the next action of a teardown. Dependents are destroyed before their dependencies. */
function downOf({ preview, parts, run }: PreviewFacts, now: Date): Next {
  const { askedToGo, retryAt, environmentId } = preview
  if (environmentId === null) return move('DESTROYED')
  if (retryAt !== null && now < retryAt) return rest(retryAt)
  const isPipelineUnderWay = run !== undefined && !isRunOver(run)
  if (isPipelineUnderWay || parts.some((part) => isToEnd(part, askedToGo))) {
    return { do: 'call off', until: soon(preview, now) }
  }
  if (parts.length === 0) return { do: 'remove' }
  const isAsked = ({ id }: Part) => askedToGo.includes(id)
  if (parts.some(({ isBusy, status }) => isBusy || status === 'DESTROYING')) return rest(soon(preview, now))
  // An instance that was being destroyed, is idle and still exists has failed.
  const failed = parts.filter(isAsked)
  if (failed.length > 0) return { do: 'note a failed teardown', message: failed.map(pendingReason).join(' ') }
  const ids = parts.filter(({ referredBy }) => referredBy.length === 0).map(({ id }) => id)
  return ids.length > 0
    ? { do: 'destroy', ids }
    : { do: 'note a failed teardown', message: 'Each of its instances is referred to by another.' }
}

const pendingReason = ({ givenId, error }: Part): string =>
  error === undefined ? `${givenId} was not destroyed.` : `${givenId}: ${error}`

/** Reports whether a pull request event reopens an existing preview environment. */
export function isReopenedBy(
  { endReason }: Pick<PreviewRow, 'endReason'>,
  action: 'opened' | 'reopened' | 'synchronize',
): boolean {
  if (endReason === null) return true
  if (action === 'reopened') return true
  // Events can arrive out of order: a late push must not reopen what was closed or ended by a user.
  return action === 'synchronize' && endReason === 'EXPIRED'
}
