import type { Caller } from '../callers.ts'
import { created, noContent } from '../wire/rest.ts'
import type { World } from '../world.ts'
import { type CodeInput, readCode } from './code.ts'
import { describe, settingsIn } from './describe.ts'
import {
  conflict,
  type FunctionIdentifier,
  findChangeable,
  findFunction,
  findVersion,
  functionArn,
  invalid,
  latest,
  newRevisionId,
  readName,
} from './records.ts'
import { type Code, type FunctionVersion, lambda } from './state.ts'
import { checkArchitectures, checkSettings } from './validation.ts'
import { publish } from './versions.ts'

/** Input for creating a function or updating its code or settings. Each operation uses a subset. */
export interface FunctionInput extends FunctionIdentifier, CodeInput {
  PackageType?: 'Zip' | 'Image'
  Code?: CodeInput
  Architectures?: string[]
  Tags?: Record<string, string>
  Publish?: boolean
  DryRun?: boolean
  RevisionId?: string
}

export function createFunction(world: World, caller: Caller, input: FunctionInput) {
  const { PackageType: packageType = 'Zip', Code: code = {}, Architectures: architectures = ['x86_64'] } = input
  const { name, qualifier } = readName(caller, input.FunctionName)
  if (qualifier) throw invalid('A function is created without a version.')
  const key = functionArn(caller.scope, name)
  if (lambda(world).functions.get(key)) throw conflict(`Function already exist: ${name}`)
  const settings = settingsIn(input)
  checkSettings(packageType, settings)
  checkArchitectures(architectures)
  const content = readCode(world, caller, packageType, code)
  const createdAt = world.clock.timestamp()
  lambda(world).functions.save({ key, scope: caller.scope, name, newestVersion: 0, createdAt, tags: input.Tags ?? {} })
  const row = lambda(world).versions.save({
    key: `${key}:${latest}`,
    functionArn: key,
    version: latest,
    packageType,
    architectures,
    settings,
    code: content,
    state: 'Pending',
    lastUpdate: 'Successful',
    lastModified: createdAt,
    revisionId: newRevisionId(),
    wakeAt: world.in(world.timing.functionUpdateSeconds),
  })
  return created(describe(input.Publish ? publish(world, row, undefined) : row, input.Publish === true))
}

export function getFunctionConfiguration(world: World, caller: Caller, input: FunctionIdentifier) {
  return describe(findVersion(world, caller, input), isQualified(caller, input))
}

export function getFunction(world: World, caller: Caller, input: FunctionIdentifier) {
  const { tags, reservedConcurrency } = findFunction(world, caller, input)
  const row = findVersion(world, caller, input)
  const { imageUri, resolvedImageUri } = row.code
  const Code = imageUri
    ? { RepositoryType: 'ECR', ImageUri: imageUri, ResolvedImageUri: resolvedImageUri }
    : { RepositoryType: 'S3', Location: `https://awslambda-${caller.region}-tasks.s3.amazonaws.com/${row.revisionId}` }
  return {
    Configuration: describe(row, isQualified(caller, input)),
    Code,
    ...(Object.keys(tags).length > 0 ? { Tags: tags } : {}),
    ...(reservedConcurrency === undefined
      ? {}
      : { Concurrency: { ReservedConcurrentExecutions: reservedConcurrency } }),
  }
}

const isQualified = (caller: Caller, { FunctionName, Qualifier }: FunctionIdentifier): boolean =>
  (Qualifier ?? readName(caller, FunctionName).qualifier) !== undefined

export function updateFunctionCode(world: World, caller: Caller, input: FunctionInput) {
  const row = findChangeable(world, caller, input)
  if (input.Architectures) checkArchitectures(input.Architectures)
  const changes = {
    code: readCode(world, caller, row.packageType, input),
    architectures: input.Architectures ?? row.architectures,
  }
  // Returns the hash of the given code ("UpdateFunctionCode" in the API reference of 2017, read 2026-11).
  if (input.DryRun) return describe({ ...row, ...changes }, false)
  beginUpdate(world, row, changes)
  return describe(input.Publish ? publish(world, row, undefined) : row, input.Publish === true)
}

export function updateFunctionConfiguration(world: World, caller: Caller, input: FunctionInput) {
  const row = findChangeable(world, caller, input)
  const settings = { ...row.settings, ...settingsIn(input) }
  checkSettings(row.packageType, settings)
  beginUpdate(world, row, { settings })
  return describe(row, false)
}

function beginUpdate(world: World, row: FunctionVersion, changes: Partial<FunctionVersion>): void {
  Object.assign(row, changes, {
    lastUpdate: 'InProgress',
    lastModified: world.clock.timestamp(),
    revisionId: newRevisionId(),
    wakeAt: changes.code ? updateEndsAt(world, changes.code) : world.in(world.timing.functionUpdateSeconds),
  } satisfies Partial<FunctionVersion>)
  lambda(world).versions.save(row)
}

/** Factor of a slow update's duration. */
const slowness = 20

function updateEndsAt(world: World, { behaviour }: Code): number | undefined {
  const { functionUpdateSeconds } = world.timing
  if (behaviour === 'hang') return undefined
  return world.in(behaviour === 'slow' ? slowness * functionUpdateSeconds : functionUpdateSeconds)
}

/** Completes a version's creation, or the update of `$LATEST`. */
export function completeVersionTransition(world: World, row: FunctionVersion): void {
  const { behaviour } = row.code
  if (row.state === 'Pending') row.state = isUnstartable(row) ? 'Failed' : 'Active'
  if (row.lastUpdate === 'InProgress') row.lastUpdate = behaviour === 'broken' ? 'Failed' : 'Successful'
  // The revision id changes again when an update completes (aws/aws-sdk issue 377, read 2026-11).
  row.revisionId = newRevisionId()
  lambda(world).versions.save(row)
}

const isUnstartable = ({ version, code }: FunctionVersion): boolean =>
  version !== latest && (code.behaviour === 'inactive' || code.behaviour === 'broken')

export function deleteFunction(world: World, caller: Caller, input: FunctionIdentifier) {
  const row = findFunction(world, caller, input)
  const aliases = lambda(world).aliases.having('function', row.key)
  if (isQualified(caller, input)) {
    const version = findVersion(world, caller, input)
    if (version.version === latest) throw invalid('$LATEST version cannot be deleted without deleting the function.')
    const users = aliases.filter((alias) => alias.version === version.version || version.version in alias.weights)
    if (users.length > 0) {
      const names = users.map(({ name }) => name).join(', ')
      throw conflict(`Unable to delete version because the following aliases reference it: [${names}]`)
    }
    lambda(world).versions.remove(version)
    return noContent()
  }
  for (const alias of aliases) lambda(world).aliases.remove(alias)
  for (const version of lambda(world).versions.having('function', row.key)) lambda(world).versions.remove(version)
  lambda(world).functions.remove(row)
  return noContent()
}

// "Lambda quotas": the default concurrency of an account, and the minimum without reservation.
const accountConcurrency = 1000
const leastUnreserved = 100

export function putFunctionConcurrency(
  world: World,
  caller: Caller,
  input: FunctionIdentifier & { ReservedConcurrentExecutions?: number },
) {
  const row = findFunction(world, caller, input)
  const { ReservedConcurrentExecutions: wanted } = input
  if (!Number.isInteger(wanted) || Number(wanted) < 0) throw invalid('ReservedConcurrentExecutions must be 0 or more.')
  if (Number(wanted) > accountConcurrency - leastUnreserved) {
    const message = `Specified ReservedConcurrentExecutions for function decreases account's UnreservedConcurrentExecution below its minimum value of [${leastUnreserved}].`
    throw invalid(message)
  }
  const { versions, aliases } = lambda(world)
  const provisioned = [...versions.having('function', row.key), ...aliases.having('function', row.key)].reduce(
    (sum, one) => sum + (one.provisioned ?? 0),
    0,
  )
  if (Number(wanted) < provisioned) {
    throw invalid(`ReservedConcurrentExecutions cannot be less than the Provisioned Concurrency of ${provisioned}.`)
  }
  lambda(world).functions.save(Object.assign(row, { reservedConcurrency: wanted }))
  return { ReservedConcurrentExecutions: wanted }
}

export function deleteFunctionConcurrency(world: World, caller: Caller, input: FunctionIdentifier) {
  const row = findFunction(world, caller, input)
  lambda(world).functions.save(Object.assign(row, { reservedConcurrency: undefined }))
  return noContent()
}

/** Returns no code signing configuration. Terraform's provider always requests it. */
export function getFunctionCodeSigningConfig(world: World, caller: Caller, input: FunctionIdentifier) {
  return { FunctionName: findFunction(world, caller, input).name, CodeSigningConfigArn: '' }
}
