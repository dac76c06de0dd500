import { setTimeout as sleep } from 'node:timers/promises'
import { type Caller, callerOf } from './callers.ts'
import type { CallLog } from './calls.ts'
import { CloudError } from './errors.ts'
import { errorOf, type Fault, takeFault } from './faults.ts'
import { deviation } from './model/answer.ts'
import type { Model } from './model/model.ts'
import { normalizeInput } from './model/normalize.ts'
import { checkRequest } from './model/request.ts'
import { hasOperation } from './model/routes.ts'
import { PendingResult } from './operation.ts'
import { withQueryHeaders } from './presigned-url.ts'
import type { Buckets } from './rates.ts'
import { authorize } from './rights/authorize.ts'
import { requiredPermissionsOf } from './rights/right.ts'
import type { CloudService } from './service.ts'
import { serviceFor } from './services.ts'
import type { Signature } from './signature.ts'
import { shuffled } from './weather.ts'
import { json11 } from './wire/json.ts'
import { type HttpRequest, type HttpResponse, type ParsedRequest, Reply } from './wire/protocol.ts'
import type { World } from './world.ts'

export interface CloudRequest extends HttpRequest {
  signature: Signature
  requestId: string
}

/** State and settings of a running simulated cloud. */
export interface SimulationContext {
  world: World
  calls: CallLog
  /** If set, the operator's signatures are verified as well. */
  operatorSecret?: string | undefined
  buckets: Buckets
  /** Turns responses that violate their model into errors. */
  checksAnswers: boolean
}

/** Response, or `undefined` to cut the connection. */
export type CloudResponse = HttpResponse | undefined

/** Handles one API call, from its parsed signature to its response, and records it. */
export async function answerCall(simulation: SimulationContext, received: CloudRequest): Promise<CloudResponse> {
  const { world, calls, operatorSecret, checksAnswers } = simulation
  const { signature, requestId } = received
  const request = signature.isPresigned ? { ...received, headers: withQueryHeaders(received) } : received
  const { service: name, region, accessKeyId } = signature
  const service = serviceFor(name, request) ?? unknownService(name)
  const { protocol } = service
  const log = { service: name, operation: '', region, accessKeyId, request: {}, account: '' }
  try {
    const reading = protocol.read(request, service.model)
    const { operation } = reading
    Object.assign(log, { operation, request: reading.input })
    const caller = callerOf(world, received, protocol, operatorSecret)
    log.account = caller.accountId
    const fault = takeFault(world, caller, name, operation)
    const delayMs = fault?.kind === 'slow' ? (fault.delayMs ?? 1000) : 0
    if (delayMs > 0 && !fault?.afterwards) await sleep(delayMs)
    const run = isReading(operation) ? world.run.bind(world) : world.transact.bind(world)
    let result = await run(() => {
      const value = perform(simulation, { caller, service, request, reading, fault })
      calls.add({ ...log, status: 200, accepted: true })
      return value
    })
    while (result instanceof PendingResult) {
      if (world.isManual)
        throw protocol.errors.unexpected(`${operation} would wait in real time, which does not pass here.`)
      const { ready, again } = result
      await ready
      result = await run(again)
    }
    if (delayMs > 0 && fault?.afterwards) await sleep(delayMs)
    if (fault?.kind === 'drop-answer') return undefined
    const answer = result instanceof Reply ? result : protocol.answer(operation, result, requestId)
    if (checksAnswers) checkAnswer(service, operation, request.method === 'HEAD' ? { ...answer, body: '' } : answer)
    return answer
  } catch (error) {
    const known = error instanceof CloudError ? error : unexpected(error, service)
    calls.add({ ...log, status: known.status, errorCode: known.code, accepted: false })
    await world.store.commit()
    return protocol.error(known, requestId)
  }
}

/** Reports whether an operation only reads. */
const isReading = (operation: string): boolean => /^(List|Describe|Get|Head)/.test(operation)

/** Call with a known caller. */
interface Call {
  caller: Caller
  service: CloudService
  request: CloudRequest
  reading: ParsedRequest
  fault: Fault | undefined
}

function perform({ world, buckets }: SimulationContext, { caller, service, request, reading, fault }: Call): object {
  const { protocol, operations, model } = service
  const name = request.signature.service
  const { operation } = reading
  const work = operations.get(operation)
  if (!work) throw protocol.errors.unknownOperation(rejectionOf(operation, name, model))
  const ownAction = `${service.actionPrefix ?? name}:${operation}`
  const trouble = fault && errorOf(fault, caller, { action: ownAction, resource: '*' }, protocol.errors)
  if (trouble) throw trouble
  const { limitsRates, shufflesLists } = world.weather
  const nowMs = world.isManual ? world.clock.timestamp() : performance.now()
  if (limitsRates && !buckets.take(`${name} ${caller.scope}`, operation, service.rates ?? [], nowMs)) {
    throw protocol.errors.throttled('Rate exceeded')
  }
  checkRequest(model, protocol, request, reading)
  const input = normalizeInput(model, operation, reading.input, protocol.form)
  const rights = requiredPermissionsOf(service.rights, operation, ownAction, input, { world, caller, request })
  authorize(world, caller, { rights, errors: protocol.errors })
  const result = isReading(operation)
    ? world.behind(() => work(world, caller, input, request))
    : work(world, caller, input, request)
  return shufflesLists && service.unordered?.includes(operation) ? shuffled(result) : result
}

/** Returns why an operation is rejected: unknown or not simulated. */
const rejectionOf = (operation: string, service: string, model: Model): string =>
  hasOperation(model, operation)
    ? `The simulated cloud does not support ${operation} of ${service}.`
    : `There is no operation ${operation} in ${service}.`

function checkAnswer({ model, protocol }: CloudService, operation: string, answer: HttpResponse): void {
  const why = deviation(model, protocol, operation, answer)
  if (why !== undefined) throw new Error(`The simulated answer to ${operation} is not as the model says: ${why}`)
}

/** Returns a placeholder for an unknown service, which rejects every call. */
function unknownService(name: string): CloudService {
  const error = new CloudError('UnknownService', `The simulated cloud has no service ${name}.`, 404)
  const read = () => {
    throw error
  }
  return {
    title: name,
    differences: [],
    protocol: { ...json11, read },
    operations: new Map(),
    rights: {},
    model: { version: '', operations: {}, others: [], shapes: {} },
    open: () => undefined,
  }
}

/** Logs an unexpected error and converts it to a bare 500 response. */
function unexpected(error: unknown, { protocol }: CloudService): CloudError {
  console.error(error)
  return protocol.errors.unexpected(error instanceof Error ? error.message : String(error))
}
