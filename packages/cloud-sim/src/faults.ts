import { accessDenied, type Caller, expiredToken } from './callers.ts'
import { CloudError } from './errors.ts'
import type { Row } from './store.ts'
import type { World } from './world.ts'

export const faultKinds = ['throttle', 'server-error', 'slow', 'drop-answer', 'access-denied', 'expired-token'] as const
export type FaultKind = (typeof faultKinds)[number]

/** Trouble that was ordered. Key: its number. What is not given matches everything; without `times` it lasts. */
export interface Fault extends Row {
  kind: FaultKind
  operation?: string | undefined
  service?: string | undefined
  account?: string | undefined
  times?: number | undefined
  delayMs?: number | undefined
  probability?: number | undefined
}

/** The trouble that a call gets into, if any; takes one from a fault that counts. */
export function takeFault(world: World, caller: Caller, service: string, operation: string): Fault | undefined {
  for (const fault of world.faults.all()) {
    if (fault.service !== undefined && fault.service !== service) continue
    if (fault.operation !== undefined && fault.operation !== operation) continue
    if (fault.account !== undefined && fault.account !== caller.accountId) continue
    if (fault.probability !== undefined && Math.random() >= fault.probability) continue
    if (fault.times !== undefined) useUp(world, fault, fault.times)
    return fault
  }
  return undefined
}

function useUp(world: World, fault: Fault, times: number): void {
  if (times <= 1) world.faults.remove(fault)
  else world.faults.save(Object.assign(fault, { times: times - 1 }))
}

/** The error that a fault answers with, before any work is done; none for those that let the work be done. */
export function errorOf(fault: Fault, caller: Caller, service: string, operation: string, input: object) {
  switch (fault.kind) {
    case 'throttle':
      return service === 'ecs'
        ? new CloudError('ThrottlingException', 'Rate exceeded')
        : new CloudError('Throttling', 'Rate exceeded')
    case 'server-error':
      return service === 'ecs'
        ? new CloudError('ServerException', 'Service Unavailable. Please try again later.', 500)
        : new CloudError('InternalFailure', 'The request processing has failed because of an unknown error.', 500)
    case 'access-denied':
      return accessDenied(service, caller, operation, input)
    case 'expired-token':
      return expiredToken(service)
    default:
      return undefined
  }
}
