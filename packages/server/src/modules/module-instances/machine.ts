import type { ModuleInstanceStatus, UserFacingError } from '@sluice/contract'

/** What a run does with an instance's infrastructure. */
export type Action = 'change' | 'destroy'

/** Result of an instance's run. */
export type RunEnd = {
  action: Action
  status: 'SUCCESS' | 'ERROR' | 'CANCELLED'
  /** Whether it may have changed anything. */
  hasTouched: boolean
  /** Whether an approver rejected it. */
  isRejected: boolean
  error: UserFacingError | null
}

export const statusDuring = { change: 'UPDATING', destroy: 'DESTROYING' } as const satisfies Record<
  Action,
  ModuleInstanceStatus
>

/** Returns the status of an instance with no run in progress and no error. */
export const restingStatus = (hasStack: boolean, isApplied: boolean): ModuleInstanceStatus =>
  hasStack && !isApplied ? 'PENDING' : 'ACTIVE'

/**
 * Returns the status after a run. A run cancelled before any change restores the earlier status; any other failure is
 * an error.
 */
export function afterRun(
  end: RunEnd,
  isApplied: boolean,
): { status: ModuleInstanceStatus; error: UserFacingError | null } {
  if (end.status === 'SUCCESS') return { status: end.action === 'destroy' ? 'DESTROYED' : 'ACTIVE', error: null }
  const isCalledOff = !end.hasTouched && (end.status === 'CANCELLED' || end.isRejected)
  if (isCalledOff) return { status: restingStatus(true, isApplied), error: null }
  return { status: 'ERROR', error: end.error }
}
