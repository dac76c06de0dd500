import type { AliasConfiguration } from '@aws-sdk/client-lambda'
import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import { created, noContent } from '../wire/rest.ts'
import type { World } from '../world.ts'
import {
  checkRevision,
  conflict,
  type FunctionIdentifier,
  findFunction,
  invalid,
  latest,
  newRevisionId,
  notFound,
} from './records.ts'
import { type Alias, lambda } from './state.ts'

interface AliasInput extends FunctionIdentifier {
  Name?: string
  FunctionVersion?: string
  Description?: string
  RoutingConfig?: { AdditionalVersionWeights?: Record<string, number> }
  RevisionId?: string
}

export function createAlias(world: World, caller: Caller, input: AliasInput) {
  const { key: functionArn } = findFunction(world, caller, input)
  const { Name: name = '', FunctionVersion: version = '', Description: description = '' } = input
  if (!/^(?!\d+$)[a-zA-Z0-9-_]{1,128}$/.test(name)) {
    throw new CloudError('ValidationException', `Value '${name}' at 'name' is not the name of an alias.`)
  }
  const key = `${functionArn}:${name}`
  if (lambda(world).aliases.get(key)) throw conflict(`Alias already exists: ${key}`)
  const weights = input.RoutingConfig?.AdditionalVersionWeights ?? {}
  checkTargets(world, functionArn, version, weights)
  const alias = { key, functionArn, name, version, weights, description, revisionId: newRevisionId() }
  return created(show(lambda(world).aliases.save(alias)))
}

export const getAlias = (world: World, caller: Caller, input: AliasInput) => show(findAlias(world, caller, input))

export function updateAlias(world: World, caller: Caller, input: AliasInput) {
  const alias = findAlias(world, caller, input)
  checkRevision(alias, input.RevisionId)
  const { FunctionVersion: version = alias.version, Description: description = alias.description } = input
  const weights = input.RoutingConfig?.AdditionalVersionWeights ?? alias.weights
  checkTargets(world, alias.functionArn, version, weights)
  if (alias.provisioned !== undefined && Object.keys(weights).length > 0) {
    throw invalid('Alias with weights can not be used with Provisioned Concurrency')
  }
  const then = { until: world.clock.timestamp(), version: alias.version, weights: alias.weights }
  const before = [...(alias.before ?? []), then].slice(-maxEarlierShares)
  const isMoving = alias.provisioned !== undefined && version !== alias.version
  const move = isMoving
    ? { movesFrom: alias.version, wakeAt: world.in(world.timing.provisionedConcurrencySeconds) }
    : {}
  Object.assign(alias, { version, weights, before, description, revisionId: newRevisionId(), ...move })
  return show(lambda(world).aliases.save(alias))
}

export function deleteAlias(world: World, caller: Caller, input: AliasInput) {
  const alias = lambda(world).aliases.get(`${findFunction(world, caller, input).key}:${input.Name}`)
  if (alias) lambda(world).aliases.remove(alias)
  return noContent() // deleting a missing alias succeeds
}

export function listAliases(world: World, caller: Caller, input: FunctionIdentifier) {
  const { key } = findFunction(world, caller, input)
  return {
    Aliases: lambda(world).aliases.having('function', key).map(show),
  }
}

/** Routes all calls of an alias to a version, as someone else would. */
export function routeAliasExternally(world: World, key: string, version: string): void {
  const alias = lambda(world).aliases.get(key)
  if (!alias) throw new Error(`There is no alias ${key}.`)
  lambda(world).aliases.save(Object.assign(alias, { version, weights: {}, revisionId: newRevisionId() }))
}

/** Ends an alias's move to a version whose provisioned instances are ready. */
export function completeMove(world: World, alias: Alias): void {
  lambda(world).aliases.save(Object.assign(alias, { movesFrom: undefined }))
}

/** Returns the percentage of an alias's calls by version; empty if there is no such alias. */
export function trafficOfAlias(world: World, key: string): Record<string, number> {
  const alias = lambda(world).aliases.get(key)
  if (!alias) return {}
  const weights = currentWeights(alias)
  const others = Object.values(weights).reduce((sum, weight) => sum + weight, 0)
  const shares = { [alias.version]: 1 - others, ...weights }
  return Object.fromEntries(Object.entries(shares).map(([version, share]) => [version, share * 100]))
}

/**
 * Returns the traffic shares of the other version. With provisioned concurrency, an updated alias routes all calls to
 * its previous version until new instances are ready (reported by deployment tools; AWS does not document it).
 */
const currentWeights = ({ movesFrom, weights }: Alias): Record<string, number> =>
  movesFrom === undefined ? weights : { [movesFrom]: 1 }

function findAlias(world: World, caller: Caller, input: AliasInput): Alias {
  const key = `${findFunction(world, caller, input).key}:${input.Name}`
  const alias = lambda(world).aliases.get(key)
  if (!alias) throw new CloudError('ResourceNotFoundException', `Cannot find alias arn: ${key}`, 404)
  return alias
}

/** Maximum number of earlier traffic shares, more than one release creates. */
const maxEarlierShares = 200

/**
 * Checks the versions of an alias: it can split traffic between two published ones ("Implement Lambda canary
 * deployments using a weighted alias").
 */
function checkTargets(world: World, functionArn: string, version: string, weights: Record<string, number>): void {
  const others = Object.entries(weights)
  for (const wanted of [version, ...Object.keys(weights)]) {
    if (!lambda(world).versions.get(`${functionArn}:${wanted}`)) throw notFound(`${functionArn}:${wanted}`)
  }
  if (others.length > 1) throw invalid('Number of items in AdditionalVersionWeights cannot be greater than 1')
  const [other] = others
  if (!other) return
  const [otherVersion, weight] = other
  if (version === latest || otherVersion === latest) {
    throw invalid('$LATEST is not supported for an alias pointing to more than 1 version')
  }
  if (otherVersion === version) {
    const already = `Function version ${version} is already included in routing configuration.`
    throw invalid(`Invalid function version ${version}. ${already}`)
  }
  const [one, two] = [version, otherVersion].map((wanted) => lambda(world).versions.get(`${functionArn}:${wanted}`))
  if (one?.settings.Role !== two?.settings.Role) {
    throw invalid('The versions that an alias points to must have the same execution role.')
  }
  if (one?.settings.DeadLetterConfig?.TargetArn !== two?.settings.DeadLetterConfig?.TargetArn) {
    throw invalid('The versions that an alias points to must have the same dead-letter queue configuration.')
  }
  if (!(Number(weight) >= 0 && Number(weight) <= 1)) throw invalid(`Weight ${weight} must be between 0 and 1.`)
}

function show(alias: Alias): AliasConfiguration {
  const { key, name, version, description, revisionId } = alias
  const weights = currentWeights(alias)
  return {
    AliasArn: key,
    Name: name,
    FunctionVersion: version,
    Description: description,
    RevisionId: revisionId,
    ...(Object.keys(weights).length > 0 ? { RoutingConfig: { AdditionalVersionWeights: weights } } : {}),
  }
}
