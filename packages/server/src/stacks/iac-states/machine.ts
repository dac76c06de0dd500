import type { StateLock } from '../stacks/tables.ts'

/** A state as far as it is compared with others. */
export type StateMark = { lineage: string; serial: number; digest: string }

/**
 * What becomes of a state that is sent in: it is stored, it is there already, or it must not take the place of the
 * latest.
 */
export type StateVerdict = 'new' | 'same' | { conflict: string }

/**
 * States of a workspace are of one lineage, and their serials only grow: anything else would lose what somebody made.
 */
export function judgeState(latest: StateMark | undefined, sent: StateMark): StateVerdict {
  if (!latest) return 'new'
  if (latest.digest === sent.digest) return 'same'
  if (latest.lineage !== sent.lineage) {
    return { conflict: `the state is of the lineage ${latest.lineage}, not ${sent.lineage}` }
  }
  if (sent.serial <= latest.serial) {
    return { conflict: `the state has the serial ${latest.serial} already, so that ${sent.serial} is out of date` }
  }
  return 'new'
}

/** Whether somebody may take the lock. A request whose answer was lost comes again; an attempt follows an older one. */
export const mayLock = (held: StateLock | null, wanted: StateLock, isHolderOver: boolean): boolean =>
  held === null || held.id === wanted.id || held.stepExecutionId === wanted.stepExecutionId || isHolderOver

/** Whether the state may be written under this lock; whoever's lock was broken may not. */
export const mayWrite = (held: StateLock | null, lockId: string | undefined): boolean =>
  (held?.id ?? undefined) === lockId
