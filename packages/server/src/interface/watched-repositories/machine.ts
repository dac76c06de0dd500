import { createHash } from 'node:crypto'
import type { ProjectDocumentKind } from '@sluice/contract'
import type { Change, Plan } from '../project-files/plan.ts'
import type { WatchedRepositoryRow } from './tables.ts'

/** How it stands, as far as what to do about a plan depends on it. */
export type Standing = Pick<WatchedRepositoryRow, 'apply' | 'status' | 'appliedCommit' | 'approvedDigest'>

/** What is done about a plan. */
export type Decision =
  /** Everything is as the files say. */
  | { do: 'rest' }
  /** `changes` are made now; `held` are those that somebody has to agree to. */
  | { do: 'apply'; changes: Change[]; held: Change[] }
  | { do: 'ask' }
  /** It was as the files say, and is so no more. */
  | { do: 'show' }

/** What holds state, or history, is not removed by itself: what is in it would be gone. */
const holdingState: readonly ProjectDocumentKind[] = ['ModuleInstance', 'Environment', 'Stack', 'Pipeline']

const holdsState = ({ action, document: { kind } }: Change): boolean =>
  action === 'remove' && holdingState.includes(kind)

export function decide(standing: Standing, commit: string, plan: Pick<Plan, 'changes'>): Decision {
  const { apply, status, appliedCommit, approvedDigest } = standing
  const { changes } = plan
  if (changes.length === 0) return { do: 'rest' }
  const isAgreed = approvedDigest !== null && (status === 'APPLYING' || approvedDigest === digestOf(commit, changes))
  if (isAgreed) return { do: 'apply', changes, held: [] }
  const held = changes.filter(holdsState)
  const isNew = commit !== appliedCommit
  if (isNew && apply === 'ON_MERGE' && held.length < changes.length) {
    return { do: 'apply', changes: changes.filter((change) => !holdsState(change)), held }
  }
  return isNew || held.length === changes.length ? { do: 'ask' } : { do: 'show' }
}

/** Names what a plan would do to what is there: another commit, or another thing that is there, is another plan. */
export function digestOf(commit: string, changes: readonly Change[]): string | undefined {
  if (changes.length === 0) return undefined
  const said = changes.map(({ action, key, id, fields, differences }) => ({ action, key, id, fields, differences }))
  return createHash('sha256')
    .update(JSON.stringify([commit, said]))
    .digest('base64url')
}

/** How often the branch and the project are looked at without anybody telling. Milliseconds. */
const lookMs = 3_600_000
const spreadMs = 300_000

/** Not all in one moment. */
export function nextLook(id: string, now: Date): Date {
  const share = createHash('sha256').update(id).digest().readUInt32BE(0) / 2 ** 32
  return new Date(now.getTime() + lookMs + Math.floor(share * spreadMs))
}

/** After each failure in a row, how soon it is tried again; then as if nothing were wrong. Milliseconds. */
const backOffMs = [5_000, 30_000, 120_000, 600_000] as const

/** Undefined where there were so many failures that it is no news any more. */
export function retryAt(failures: number, now: Date, atLeastMs = 0): Date | undefined {
  const pauseMs = backOffMs[failures - 1]
  return pauseMs === undefined ? undefined : new Date(now.getTime() + Math.max(pauseMs, atLeastMs))
}

/** Whether a file is one of those in a folder. */
export const isInside = (file: string, path: string): boolean => path === '' || file.startsWith(`${path}/`)
