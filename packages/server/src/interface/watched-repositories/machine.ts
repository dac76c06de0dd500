import type { ProjectDocumentKind } from '@sluice/contract'
import type { WatchedRepositoryRow } from './tables.ts'

/** How it stands, as far as what to do about a plan depends on it. */
export type Standing = Pick<WatchedRepositoryRow, 'apply' | 'status' | 'appliedCommit' | 'approvedDigest'>

/** A change, as far as what to do about it depends on it. */
type Kind = { action: 'create' | 'change' | 'remove'; document: { kind: ProjectDocumentKind } }

/** What files at a commit change; `digest` names it. */
export type Found<C extends Kind> = { commit: string; digest: string | undefined; changes: readonly C[] }

/** What is done about a plan. */
export type Decision<C extends Kind> =
  /** Everything is as the files say. */
  | { do: 'rest' }
  /** These are made now; what is left of the plan, somebody has to agree to. */
  | { do: 'apply'; changes: C[] }
  | { do: 'ask' }
  /** It was as the files say, and is so no more. */
  | { do: 'show' }

/** What holds state, or history, is not removed by itself: what is in it would be gone. */
const holdingState: readonly ProjectDocumentKind[] = ['ModuleInstance', 'Environment', 'Stack', 'Pipeline']

const holdsState = ({ action, document: { kind } }: Kind): boolean => action === 'remove' && holdingState.includes(kind)

export function decide<C extends Kind>(standing: Standing, { commit, digest, changes }: Found<C>): Decision<C> {
  const { apply, status, appliedCommit, approvedDigest } = standing
  if (changes.length === 0) return { do: 'rest' }
  const isAgreed = approvedDigest !== null && (status === 'APPLYING' || approvedDigest === digest)
  if (isAgreed) return { do: 'apply', changes: [...changes] }
  const isNew = commit !== appliedCommit
  const free = changes.filter((change) => !holdsState(change))
  if (isNew && apply === 'ON_MERGE' && free.length > 0) return { do: 'apply', changes: free }
  return isNew || free.length === 0 ? { do: 'ask' } : { do: 'show' }
}

/** How often the branch and the project are looked at without anybody telling. Milliseconds. */
const lookMs = 3_600_000
const spreadMs = 300_000

/** Not all in one moment: `share` is a number from 0 to 1 of its own. */
export const nextLook = (share: number, now: Date): Date =>
  new Date(now.getTime() + lookMs + Math.floor(share * spreadMs))

/** After each failure in a row, how soon it is tried again; then as if nothing were wrong. Milliseconds. */
const backOffMs = [5_000, 30_000, 120_000, 600_000] as const

/** Undefined where there were so many failures that it is no news any more. */
export function retryAt(failures: number, now: Date, atLeastMs = 0): Date | undefined {
  const pauseMs = backOffMs[failures - 1]
  return pauseMs === undefined ? undefined : new Date(now.getTime() + Math.max(pauseMs, atLeastMs))
}

/** Whether a file is one of those in a folder. */
export const isInside = (file: string, path: string): boolean => path === '' || file.startsWith(`${path}/`)
