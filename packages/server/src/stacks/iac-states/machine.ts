import type { StateLock } from '../stacks/tables.ts'

/** Properties of a state that are compared with others. */
export type StateMark = { lineage: string; serial: number; digest: string }

/** Decision about an uploaded state: it is new, stored already, or conflicts with the latest one. */
export type StateVerdict = 'new' | 'same' | { conflict: string }

/**
 * Decides about an uploaded state. All states of a workspace have one lineage, and their serials only grow; anything
 * else would overwrite changes.
 */
export function compareState(latest: StateMark | undefined, sent: StateMark): StateVerdict {
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

/**
 * Reports whether a lock can be acquired: if it is free, requested again by the same holder, or held by an ended one.
 */
export const canLock = (held: StateLock | null, wanted: StateLock, isHolderOver: boolean): boolean =>
  held === null || held.id === wanted.id || held.stepExecutionId === wanted.stepExecutionId || isHolderOver

/** Reports whether a state can be written with this lock. The holder of a broken lock cannot. */
export const canWrite = (held: StateLock | null, lockId: string | undefined): boolean =>
  (held?.id ?? undefined) === lockId
