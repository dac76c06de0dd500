import { setTimeout as sleep } from 'node:timers/promises'
import { authorize, type Caller, callerOf, type Signature } from './callers.ts'
import type { CallLog } from './calls.ts'
import { ecsOperations } from './ecs/operations.ts'
import { elbOperations } from './elb/operations.ts'
import { CloudError } from './errors.ts'
import { errorOf, type Fault, takeFault } from './faults.ts'
import type { Operation } from './operation.ts'
import { stsOperations } from './sts.ts'
import { jsonError, parseJson } from './wire/json.ts'
import { parseQuery, queryAnswer, queryError } from './wire/query.ts'
import type { World } from './world.ts'

/** The services by the name that requests are signed for. */
const services: Record<string, ReadonlyMap<string, Operation>> = {
  ecs: ecsOperations,
  elasticloadbalancing: elbOperations,
  sts: stsOperations,
}

export interface CloudRequest {
  signature: Signature
  target: string | undefined
  body: string
  requestId: string
}

export interface CloudAnswer {
  status: number
  contentType: string
  body: string
  /** The connection is to be cut instead of answering. */
  isDropped: boolean
}

const jsonType = 'application/x-amz-json-1.1'

/** One call of the cloud's own interface, from its parsed signature to its answer; every one is logged. */
export async function answerCall(world: World, calls: CallLog, request: CloudRequest): Promise<CloudAnswer> {
  const { signature, requestId } = request
  const { service, region, accessKeyId } = signature
  const log = { service, operation: '', region, accessKeyId, request: {}, account: '' }
  try {
    const { operation, input } = read(request)
    Object.assign(log, { operation, request: input })
    const caller = callerOf(world, signature)
    log.account = caller.accountId
    const fault = takeFault(world, caller, service, operation)
    if (fault?.kind === 'slow') await sleep(fault.delayMs ?? 1000)
    const result = await world.transact(() => {
      const value = perform(world, caller, service, operation, input, fault)
      calls.add({ ...log, status: 200, accepted: true })
      return value
    })
    return { ...written(service, operation, result, requestId), isDropped: fault?.kind === 'drop-answer' }
  } catch (error) {
    const known = error instanceof CloudError ? error : unexpected(error, service)
    calls.add({ ...log, status: known.status, errorCode: known.code, accepted: false })
    await world.store.commit()
    const isJson = service === 'ecs'
    const body = isJson ? jsonError(known) : queryError(known, requestId)
    return { status: known.status, contentType: isJson ? jsonType : 'text/xml', body, isDropped: false }
  }
}

function perform(
  world: World,
  caller: Caller,
  service: string,
  operation: string,
  input: object,
  fault?: Fault,
): object {
  const trouble = fault && errorOf(fault, caller, service, operation, input)
  if (trouble) throw trouble
  authorize(world, caller, service, operation, input)
  const table = services[service]
  if (!table) throw new CloudError('UnknownService', `The simulated cloud has no service ${service}.`, 404)
  const work = table.get(operation)
  if (work) return work(world, caller, input)
  const message = `The simulated cloud has no operation ${operation} in ${service}.`
  throw new CloudError(service === 'ecs' ? 'UnknownOperationException' : 'InvalidAction', message)
}

/** A request that cannot be read is one without an operation: it fails later, in the words of its service. */
function read({ signature, target, body }: CloudRequest): { operation: string; input: object } {
  if (target !== undefined) return { operation: target.slice(target.indexOf('.') + 1), input: parseJson(body) }
  if (signature.service === 'ecs') return { operation: '', input: {} }
  const { Action, Version: _version, ...input } = parseQuery(body)
  return { operation: String(Action ?? ''), input }
}

function written(service: string, operation: string, result: object, requestId: string) {
  if (service === 'ecs') return { status: 200, contentType: jsonType, body: JSON.stringify(result) }
  return { status: 200, contentType: 'text/xml', body: queryAnswer(service, operation, result, requestId) }
}

/** Something that a handler did not expect in the request: the caller gets the cloud's bare 500, we the stack. */
function unexpected(error: unknown, service: string): CloudError {
  console.error(error)
  const code = service === 'ecs' ? 'ServerException' : 'InternalFailure'
  return new CloudError(code, error instanceof Error ? error.message : String(error), 500)
}
