import type { ModuleInstanceStatus, UserFacingError } from '@sluice/contract'

/** What a run does to the infrastructure of an instance. */
export type Action = 'change' | 'destroy'

/** How a run of an instance ended. */
export type RunEnd = {
  action: Action
  status: 'SUCCESS' | 'ERROR' | 'CANCELLED'
  /** Whether anything may have been changed before it ended. */
  hasTouched: boolean
  /** Whether a person turned it down. */
  isRejected: boolean
  error: UserFacingError | null
}

export const statusDuring = { change: 'UPDATING', destroy: 'DESTROYING' } as const satisfies Record<
  Action,
  ModuleInstanceStatus
>

/** Where an instance is when nothing is under way and nothing went wrong. */
export const restingStatus = (hasStack: boolean, isApplied: boolean): ModuleInstanceStatus =>
  hasStack && !isApplied ? 'PENDING' : 'ACTIVE'

/**
 * What a run leaves an instance in. A run that was called off before it touched anything leaves it where it was; any
 * other failure is to be seen.
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
