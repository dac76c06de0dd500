import { setTimeout as sleep } from 'node:timers/promises'
import { authorize, type Caller, callerOf } from './callers.ts'
import type { CallLog } from './calls.ts'
import { CloudError } from './errors.ts'
import { errorOf, type Fault, takeFault } from './faults.ts'
import { checkRequest } from './model/request.ts'
import { Later } from './operation.ts'
import type { CloudService } from './service.ts'
import { services } from './services.ts'
import type { Signature } from './signature.ts'
import { json11 } from './wire/json.ts'
import { type HttpAnswer, type HttpRequest, type Reading, Reply } from './wire/protocol.ts'
import type { World } from './world.ts'

export interface CloudRequest extends HttpRequest {
  signature: Signature
  requestId: string
}

/** What a simulated cloud consists of while it runs. */
export interface Simulated {
  world: World
  calls: CallLog
  /** Where it is known, the operator's signatures are verified as everybody's. */
  operatorSecret?: string | undefined
}

/** `undefined`: the connection is to be cut instead of answering. */
export type CloudAnswer = HttpAnswer | undefined

/** One call of the cloud's own interface, from its parsed signature to its answer; every one is logged. */
export async function answerCall(simulation: Simulated, request: CloudRequest): Promise<CloudAnswer> {
  const { world, calls, operatorSecret } = simulation
  const { signature, requestId } = request
  const { service: name, region, accessKeyId } = signature
  const service = services[name] ?? unknownService(name)
  const { protocol } = service
  const log = { service: name, operation: '', region, accessKeyId, request: {}, account: '' }
  try {
    const reading = protocol.read(request)
    const { operation } = reading
    Object.assign(log, { operation, request: reading.input })
    const caller = callerOf(world, request, protocol, operatorSecret)
    log.account = caller.accountId
    const fault = takeFault(world, caller, name, operation)
    if (fault?.kind === 'slow') await sleep(fault.delayMs ?? 1000)
    let result = await world.transact(() => {
      const value = perform(world, caller, service, request, reading, fault)
      calls.add({ ...log, status: 200, accepted: true })
      return value
    })
    while (result instanceof Later) {
      const { ready, again } = result
      await ready
      result = await world.transact(again)
    }
    if (fault?.kind === 'drop-answer') return undefined
    return result instanceof Reply ? result : protocol.answer(operation, result, requestId)
  } catch (error) {
    const known = error instanceof CloudError ? error : unexpected(error, service)
    calls.add({ ...log, status: known.status, errorCode: known.code, accepted: false })
    await world.store.commit()
    return protocol.error(known, requestId)
  }
}

function perform(
  world: World,
  caller: Caller,
  { protocol, operations, model, actions: rights = {}, actionPrefix }: CloudService,
  request: CloudRequest,
  reading: Reading,
  fault?: Fault,
): object {
  const { service } = request.signature
  const { operation, input } = reading
  const actions = rights[operation] ?? [`${actionPrefix ?? service}:${operation}`]
  const asked = { actions, input, errors: protocol.errors }
  const trouble = fault && errorOf(fault, caller, asked)
  if (trouble) throw trouble
  checkRequest(model, protocol, request, reading)
  authorize(world, caller, asked)
  const work = operations.get(operation)
  if (work) return work(world, caller, input, request)
  throw protocol.errors.unknownOperation(`The simulated cloud has no operation ${operation} in ${service}.`)
}

/** What speaks for a service that there is not: it reads nothing and says so. */
function unknownService(name: string): CloudService {
  const error = new CloudError('UnknownService', `The simulated cloud has no service ${name}.`, 404)
  const read = () => {
    throw error
  }
  return {
    protocol: { ...json11, read },
    operations: new Map(),
    model: { operations: {}, shapes: {} },
    open: () => undefined,
  }
}

/** Something that a handler did not expect in the request: the caller gets the cloud's bare 500, we the stack. */
function unexpected(error: unknown, { protocol }: CloudService): CloudError {
  console.error(error)
  return protocol.errors.unexpected(error instanceof Error ? error.message : String(error))
}
