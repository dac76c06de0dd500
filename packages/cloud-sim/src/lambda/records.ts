import { randomUUID } from 'node:crypto'
import { arnIn, type Scope } from '../arns.ts'
import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import type { World } from '../world.ts'
import { type FunctionVersion, type LambdaFunction, lambda } from './state.ts'

export const latest = '$LATEST'

export const newRevisionId = (): string => randomUUID()

export const functionArn = (scope: Scope, name: string) => arnIn(scope, 'lambda', `function:${name}`)

/** Matches a function's name, ARN or partial ARN, optionally with a version or alias. */
const namePattern =
  /^(?:arn:aws[a-z-]*:lambda:(?<region>[a-z0-9-]+):(?=\d{12}:))?(?:(?<account>\d{12}):)?(?:function:)?(?<name>[a-zA-Z0-9-_]{1,64})(?::(?<qualifier>\$LATEST|[a-zA-Z0-9-_]+))?$/

export interface ParsedFunctionName {
  arn: string
  name: string
  qualifier?: string | undefined
}

export function readName(caller: Caller, text = ''): ParsedFunctionName {
  const found = namePattern.exec(text)?.groups
  if (!found) {
    const rule = 'Member must satisfy regular expression pattern of a function name or ARN'
    const message = `1 validation error detected: Value '${text}' at 'functionName' failed to satisfy constraint: ${rule}`
    throw new CloudError('ValidationException', message)
  }
  const { region = caller.region, account = caller.accountId, name = '', qualifier } = found
  return { arn: functionArn(`${region}:${account}`, name), name, qualifier }
}

export const notFound = (arn: string) => new CloudError('ResourceNotFoundException', `Function not found: ${arn}`, 404)
export const conflict = (message: string) => new CloudError('ResourceConflictException', message, 409)
export const invalid = (message: string) => new CloudError('InvalidParameterValueException', message)

/** Fields that identify a function. */
export interface FunctionIdentifier {
  FunctionName?: string
  Qualifier?: string
}

export function findFunction(world: World, caller: Caller, { FunctionName }: FunctionIdentifier): LambdaFunction {
  const { arn } = readName(caller, FunctionName)
  const found = lambda(world).functions.get(arn)
  if (found?.scope !== caller.scope) throw notFound(arn)
  return found
}

/** Reports whether an ARN, with or without qualifier, is that of a function in the scope. */
export function isFunction(world: World, scope: Scope, arn: string): boolean {
  const [own = '', qualifier] = [arn.split(':').slice(0, 7).join(':'), arn.split(':')[7]]
  const { functions, versions, aliases } = lambda(world)
  if (functions.get(own)?.scope !== scope) return false
  return qualifier === undefined || aliases.get(arn) !== undefined || versions.get(arn) !== undefined
}

/** Returns the version in a request, by number or alias; by default `$LATEST`. */
export function findVersion(world: World, caller: Caller, input: FunctionIdentifier): FunctionVersion {
  const { key } = findFunction(world, caller, input)
  const qualifier = input.Qualifier ?? readName(caller, input.FunctionName).qualifier ?? latest
  const version = lambda(world).aliases.get(`${key}:${qualifier}`)?.version ?? qualifier
  const found = lambda(world).versions.get(`${key}:${version}`)
  if (!found) throw notFound(`${key}:${qualifier}`)
  return found
}

/** Returns `$LATEST` for a change. Rejects outdated revision ids and changes during another one. */
export function findChangeable(world: World, caller: Caller, input: FunctionIdentifier & { RevisionId?: string }) {
  const { key } = findFunction(world, caller, input)
  const row = lambda(world).versions.get(`${key}:${latest}`)
  if (!row) throw notFound(key)
  checkRevision(row, input.RevisionId)
  if (row.state === 'Pending') {
    const why = 'The function is currently in the following state: Pending'
    throw conflict(`The operation cannot be performed at this time. ${why}`)
  }
  if (row.lastUpdate === 'InProgress') {
    throw conflict(`The operation cannot be performed at this time. An update is in progress for resource: ${key}`)
  }
  return row
}

export function checkRevision({ revisionId }: { revisionId: string }, wanted: string | undefined): void {
  if (wanted === undefined || wanted === revisionId) return
  const message =
    'The Revision Id provided does not match the latest Revision Id. Call the GetFunction/GetAlias API to retrieve the latest Revision Id'
  throw new CloudError('PreconditionFailedException', message, 412)
}
