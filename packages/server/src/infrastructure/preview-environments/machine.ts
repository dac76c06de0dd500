import { isRunOver, type ModuleInstanceStatus, type PipelineRunStatus, type PreviewStatus } from '@sluice/contract'
import type { PreviewRow } from './tables.ts'

/** A module instance of a preview environment; those that are destroyed are none of it any more. */
export type Part = {
  id: string
  givenId: string
  status: ModuleInstanceStatus
  hasStack: boolean
  /** Whether a run, a step or a deployment of it is not over. */
  isBusy: boolean
  /** Ids of the others that refer to it. */
  referredBy: readonly string[]
  /** What went wrong with it, where something did. */
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

/** What it is at this moment. */
export type Facts = {
  preview: Preview
  parts: readonly Part[]
  /** Whether the project may have one more. */
  hasRoom: boolean
  /** Whether the template names a pipeline. */
  hasPipeline: boolean
  /** How the pipeline's run for the latest commit stands; undefined where none has begun. */
  run: PipelineRunStatus | undefined
}

/** What is done next. `until` is when to look again; without one, something else has it looked at. */
export type Next =
  | { do: 'rest'; until?: Date }
  /** Moves it, and looks at once what follows. */
  | { do: 'move'; to: PreviewStatus; message: string | null }
  | { do: 'expire' }
  /** Makes the environment with its instances, and has them applied. */
  | { do: 'create' }
  /** Sets what the latest commit changes in the instances that are there, and has them applied. */
  | { do: 'begin' }
  | { do: 'start the pipeline' }
  /** Has what is under way end. */
  | { do: 'call off'; until: Date }
  | { do: 'destroy'; ids: string[] }
  | { do: 'note a failed teardown'; message: string }
  | { do: 'remove' }

/** How soon something that is under way is looked at again: the later, the longer it takes. Milliseconds. */
const [soonestMs, latestMs] = [1_000, 30_000]
/** How soon it is seen that the project has room. Milliseconds. */
const roomMs = 5_000

/** After each failure in a row of tearing one down, when it is tried again; after the last, so again and again. */
const backOffMs = [60_000, 5 * 60_000, 15 * 60_000, 3_600_000, 6 * 3_600_000] as const

export const retryAfter = (failures: number, now: Date): Date =>
  new Date(now.getTime() + (backOffMs[Math.min(failures, backOffMs.length) - 1] ?? backOffMs[0]))

const rest = (until?: Date): Next => (until ? { do: 'rest', until } : { do: 'rest' })
const move = (to: PreviewStatus, message: string | null = null): Next => ({ do: 'move', to, message })

export function nextOf(facts: Facts, now: Date): Next {
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

function upOf({ preview, parts, hasRoom, hasPipeline, run }: Facts, now: Date): Next {
  const { status, commit, begunCommit, environmentId, expiresAt } = preview
  if (status === 'DESTROYED') return move('WAITING')
  const isAnew = status === 'WAITING' || begunCommit !== commit
  if (environmentId === null) {
    if (!isAnew) return status === 'FAILED' ? rest(expiresAt) : move('FAILED', 'Its environment was deleted by hand.')
    if (status !== 'WAITING') return move('WAITING')
    return hasRoom ? { do: 'create' } : rest(earlier(after(roomMs, now), expiresAt))
  }
  if (isAnew) return parts.some(isInWork) ? rest(soon(preview, now)) : { do: 'begin' }
  if (status !== 'CREATING') return rest(expiresAt)
  if (parts.some(isInWork)) return rest(soon(preview, now))
  const failed = parts.filter(({ status, hasStack }) => hasStack && status !== 'ACTIVE')
  if (failed.length > 0) return move('FAILED', failed.map(whyFailed).join(' '))
  if (!hasPipeline) return move('READY')
  if (run === undefined) return { do: 'start the pipeline' }
  if (run === 'SUCCESS') return move('READY')
  if (run === 'ERROR' || run === 'CANCELLED') return move('FAILED', 'The run of its pipeline did not succeed.')
  return rest(soon(preview, now))
}

const earlier = (one: Date, other: Date): Date => (one < other ? one : other)

/** Whether its infrastructure is being changed. */
const isInWork = ({ status }: Part): boolean => status === 'UPDATING' || status === 'DESTROYING'

const whyFailed = ({ givenId, error }: Part): string =>
  error === undefined ? `${givenId} was not applied.` : `${givenId}: ${error}`

/** Whether something is under way in it that does not destroy it. */
export const isToEnd = ({ id, isBusy, status }: Part, askedToGo: readonly string[]): boolean =>
  isBusy && status !== 'DESTROYING' && !askedToGo.includes(id)

/** What refers to others goes before them. */
function downOf({ preview, parts, run }: Facts, now: Date): Next {
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
  // Whatever was asked to go, is not at it any more and is still there could not.
  const failed = parts.filter(isAsked)
  if (failed.length > 0) return { do: 'note a failed teardown', message: failed.map(whyStill).join(' ') }
  const ids = parts.filter(({ referredBy }) => referredBy.length === 0).map(({ id }) => id)
  return ids.length > 0
    ? { do: 'destroy', ids }
    : { do: 'note a failed teardown', message: 'Each of its instances is referred to by another.' }
}

const whyStill = ({ givenId, error }: Part): string =>
  error === undefined ? `${givenId} was not destroyed.` : `${givenId}: ${error}`

/** What a pull request that was opened, reopened or pushed to makes of one that there is. */
export function wantedAgain(
  { endReason }: Pick<PreviewRow, 'endReason'>,
  action: 'opened' | 'reopened' | 'synchronize',
): boolean {
  if (endReason === null) return true
  if (action === 'reopened') return true
  // Hosts tell of things in any order: a late push does not open what was closed since, nor what a person ended.
  return action === 'synchronize' && endReason === 'EXPIRED'
}
