import { type Caller, expiredToken } from './callers.ts'
import { chance } from './chance.ts'
import { CloudError } from './errors.ts'
import { accessDenied } from './rights/authorize.ts'
import type { Right } from './rights/right.ts'
import { useUp } from './rules.ts'
import type { Row } from './store.ts'
import type { CommonErrors } from './wire/protocol.ts'
import { state, type World } from './world.ts'

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

/** Trouble that was ordered. Key: its number. What is not given matches everything; without `times` it lasts. */
export interface Fault extends Row {
  kind: FaultKind
  operation?: string | undefined
  service?: string | undefined
  account?: string | undefined
  times?: number | undefined
  delayMs?: number | undefined
  /** Of a slow one: the work is done first, and the answer is late. */
  afterwards?: boolean | undefined
  /** Of an error: what it is called, its HTTP status, and what it says. */
  code?: string | undefined
  status?: number | undefined
  message?: string | undefined
  probability?: number | undefined
}

/** What was ordered and is not used up. */
export const faults = state((world) => world.table<Fault>('fault'))

/** The trouble that a call gets into, if any; takes one from a fault that counts. */
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

/** The error that a fault answers with, before any work is done; none for those that let the work be done. */
export function errorOf(fault: Fault, caller: Caller, right: Right, errors: CommonErrors): CloudError | undefined {
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
