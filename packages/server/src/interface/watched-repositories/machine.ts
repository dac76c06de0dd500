import type { ProjectDocumentKind } from '@sluice/contract'
import type { WatchedRepositoryRow } from './tables.ts'

/** State of a watched repository that decisions depend on. */
export type WatchedState = Pick<WatchedRepositoryRow, 'apply' | 'status' | 'appliedCommit' | 'approvedDigest'>

/** Properties of a change that decisions depend on. */
type Kind = { action: 'create' | 'change' | 'remove'; document: { kind: ProjectDocumentKind } }

/** Changes of the files at a commit; `digest` identifies them. */
export type CommitPlan<C extends Kind> = { commit: string; digest: string | undefined; changes: readonly C[] }

/** Decision about a plan. */
export type SyncDecision<C extends Kind> =
  /** Everything matches the files. */
  | { do: 'rest' }
  /** Apply these changes now; the rest of the plan requires approval. */
  | { do: 'apply'; changes: C[] }
  | { do: 'ask' }
  /** Report drift: the project matched the files before, and does not any more. */
  | { do: 'show' }

/** Kinds that contain state or history, whose removal requires approval because it would be lost. */
const kindsWithState: readonly ProjectDocumentKind[] = ['ModuleInstance', 'Environment', 'Stack', 'Pipeline']

const holdsState = ({ action, document: { kind } }: Kind): boolean =>
  action === 'remove' && kindsWithState.includes(kind)

export function decide<C extends Kind>(
  standing: WatchedState,
  { commit, digest, changes }: CommitPlan<C>,
): SyncDecision<C> {
  const { apply, status, appliedCommit, approvedDigest } = standing
  if (changes.length === 0) return { do: 'rest' }
  const isAgreed = approvedDigest !== null && (status === 'APPLYING' || approvedDigest === digest)
  if (isAgreed) return { do: 'apply', changes: [...changes] }
  const isNew = commit !== appliedCommit
  const free = changes.filter((change) => !holdsState(change))
  if (isNew && apply === 'ON_MERGE' && free.length > 0) return { do: 'apply', changes: free }
  return isNew || free.length === 0 ? { do: 'ask' } : { do: 'show' }
}

/** Interval between two passes without an event, in milliseconds. */
const syncIntervalMs = 3_600_000
const spreadMs = 300_000

/** Returns the time of the next pass. `share`, a number from 0 to 1, spreads the repositories. */
export const nextSyncAt = (share: number, now: Date): Date =>
  new Date(now.getTime() + syncIntervalMs + Math.floor(share * spreadMs))

/** Delays after consecutive failures, in milliseconds; after the last one, the regular interval applies. */
const backOffMs = [5_000, 30_000, 120_000, 600_000] as const

/** Returns the time of the retry; undefined after too many failures. */
export function retryAt(failures: number, now: Date, atLeastMs = 0): Date | undefined {
  const pauseMs = backOffMs[failures - 1]
  return pauseMs === undefined ? undefined : new Date(now.getTime() + Math.max(pauseMs, atLeastMs))
}

/** Reports whether a file is inside a directory. */
export const isInside = (file: string, path: string): boolean => path === '' || file.startsWith(`${path}/`)
