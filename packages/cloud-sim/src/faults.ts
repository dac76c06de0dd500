import { type Caller, expiredToken } from './callers.ts'
import { chance } from './chance.ts'
import { CloudError } from './errors.ts'
import { accessDenied } from './rights/authorize.ts'
import type { IamPermission } from './rights/right.ts'
import { useUp } from './rules.ts'
import type { Row } from './store.ts'
import type { CommonErrors } from './wire/protocol.ts'
import { defineState, type World } from './world.ts'

export const faultKinds = [
  'throttle',
  'server-error',
  'slow',
  'drop-answer',
  'access-denied',
  'expired-token',
  'error',
] as const
export type FaultKind = (typeof faultKinds)[number]

/** Injected fault. Key: its number. Missing filters match everything; without `times` it is permanent. */
export interface Fault extends Row {
  kind: FaultKind
  operation?: string | undefined
  service?: string | undefined
  account?: string | undefined
  times?: number | undefined
  delayMs?: number | undefined
  /** For a delay: after the operation instead of before it. */
  afterwards?: boolean | undefined
  /** For an error: its code, HTTP status and message. */
  code?: string | undefined
  status?: number | undefined
  message?: string | undefined
  probability?: number | undefined
}

/** Table of injected faults that still apply. */
export const faults = defineState((world) => world.table<Fault>('fault'))

/** Returns the fault for a call, if any, decrementing its count. */
export function takeFault(world: World, caller: Caller, service: string, operation: string): Fault | undefined {
  for (const fault of faults(world).all()) {
    if (fault.service !== undefined && fault.service !== service) continue
    if (fault.operation !== undefined && fault.operation !== operation) continue
    if (fault.account !== undefined && fault.account !== caller.accountId) continue
    if (fault.probability !== undefined && chance() >= fault.probability) continue
    useUp(faults(world), fault)
    return fault
  }
  return undefined
}

/** Returns a fault's error, or undefined for faults that let the operation run. */
export function errorOf(
  fault: Fault,
  caller: Caller,
  right: IamPermission,
  errors: CommonErrors,
): CloudError | undefined {
  switch (fault.kind) {
    case 'throttle':
      return errors.throttled('Rate exceeded')
    case 'server-error':
      return errors.unexpected('Service Unavailable. Please try again later.')
    case 'access-denied':
      return accessDenied(caller, right, errors)
    case 'error':
      return new CloudError(fault.code ?? 'InternalFailure', fault.message ?? '', fault.status)
    case 'expired-token':
      return expiredToken(errors)
    default:
      return undefined
  }
}
