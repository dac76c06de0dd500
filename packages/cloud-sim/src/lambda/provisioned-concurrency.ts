import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import { accepted, noContent } from '../wire/rest.ts'
import type { World } from '../world.ts'
import { type FunctionIdentifier, findFunction, findVersion, invalid, latest } from './records.ts'
import { type Alias, type FunctionVersion, lambda } from './state.ts'

type Asked = FunctionIdentifier & { ProvisionedConcurrentExecutions?: number }

/** Sets the provisioned concurrency of an alias or version. */
export function putProvisionedConcurrency(world: World, caller: Caller, input: Asked) {
  const { ProvisionedConcurrentExecutions: wanted = 0 } = input
  const owner = findOwner(world, caller, input)
  if (owner.version === latest) {
    throw invalid('Provisioned Concurrency Configs cannot be applied to unpublished function versions.')
  }
  if ('weights' in owner && Object.keys(owner.weights).length > 0) {
    throw invalid('Alias with weights can not be used with Provisioned Concurrency')
  }
  checkAllowed(world, owner, wanted)
  save(world, owner, wanted)
  return accepted(describe(world, wanted))
}

export function getProvisionedConcurrency(world: World, caller: Caller, input: Asked) {
  const { provisioned } = findOwner(world, caller, input)
  if (provisioned !== undefined) return describe(world, provisioned)
  const message = 'No Provisioned Concurrency Config found for this function'
  throw new CloudError('ProvisionedConcurrencyConfigNotFoundException', message, 404)
}

export function deleteProvisionedConcurrency(world: World, caller: Caller, input: Asked) {
  save(world, findOwner(world, caller, input), undefined)
  return noContent()
}

function findOwner(world: World, caller: Caller, input: Asked): Alias | FunctionVersion {
  const { key } = findFunction(world, caller, input)
  return lambda(world).aliases.get(`${key}:${input.Qualifier}`) ?? findVersion(world, caller, input)
}

function save(world: World, owner: Alias | FunctionVersion, provisioned: number | undefined): void {
  if ('weights' in owner) lambda(world).aliases.save(Object.assign(owner, { provisioned }))
  else lambda(world).versions.save(Object.assign(owner, { provisioned }))
}

/**
 * Checks whether provisioned concurrency is allowed ("Configuring provisioned concurrency" and "Lambda SnapStart" in
 * the developer guide, read 2026-11). The total of all versions and aliases must not exceed the function's reserved
 * concurrency.
 */
function checkAllowed(world: World, owner: Alias | FunctionVersion, wanted: number): void {
  const { functionArn, version } = owner
  const { functions, versions, aliases } = lambda(world)
  const target = 'weights' in owner ? versions.get(`${functionArn}:${version}`) : owner
  if (target?.settings.SnapStart?.ApplyOn === 'PublishedVersions') {
    throw invalid('Provisioned Concurrency is not supported on functions with SnapStart enabled.')
  }
  const others = [...versions.having('function', functionArn), ...aliases.having('function', functionArn)].filter(
    (one) => one !== owner && one.provisioned !== undefined,
  )
  if (others.some((one) => one.version === version && 'weights' in one !== 'weights' in owner)) {
    throw invalid('Provisioned Concurrency cannot be applied to an alias and the version that it points to.')
  }
  const { reservedConcurrency } = functions.get(functionArn) ?? {}
  const sum = others.reduce((total, { provisioned = 0 }) => total + provisioned, wanted)
  if (reservedConcurrency !== undefined && sum > reservedConcurrency) {
    const message = `Requested Provisioned Concurrency should not be greater than the reservedConcurrentExecution for function`
    throw invalid(message)
  }
}

/** Serializes provisioned concurrency, which is ready at once. */
const describe = (world: World, provisioned: number) => ({
  RequestedProvisionedConcurrentExecutions: provisioned,
  AvailableProvisionedConcurrentExecutions: provisioned,
  AllocatedProvisionedConcurrentExecutions: provisioned,
  Status: 'READY',
  LastModified: new Date(world.clock.timestamp()).toISOString(),
})
