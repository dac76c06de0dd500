import { freeMaps } from '@sluice/contract'
import { hasTemplate, unknown } from '@sluice/expressions'
import { kindOf, memberPath, spelled } from '../../../platform/http/faults.ts'
import model from './task-definition.model.json' with { type: 'json' }

type Json = Record<string, unknown>

/** Type of a field in AWS's API: a primitive, a map with arbitrary keys, a list, or an object. */
type Shape = 'string' | 'number' | 'boolean' | 'map' | readonly [Shape] | Fields
type Fields = { readonly [field: string]: Shape }

const taskDefinition = model as unknown as Fields
const container = (taskDefinition.containerDefinitions as readonly [Fields])[0]

/** Splits a list of normalized field names. */
const names = (text: string): readonly string[] => text.split(' ')

/** Fields of a task definition that only responses contain. */
const itsOwn = new Set(
  names(
    'taskdefinitionarn revision status requiresattributes compatibilities registeredat registeredby deregisteredat deleterequestedat',
  ),
)

const namesIn = (shape: object) => new Set(Object.keys(shape).map(spelled))
const without = (some: Set<string>, others: Set<string>) => new Set([...some].filter((name) => !others.has(name)))
const [taskNames, containerNames] = [namesIn(taskDefinition), namesIn(container)]
/** Fields of a container that a task definition does not have. */
const ofContainer = without(containerNames, taskNames)
/** Fields of a task definition that a container does not have. */
const ofTask = without(taskNames, containerNames)

/** Fields of an ECS service. */
const ofService = new Set(
  names(
    'availabilityzonerebalancing capacityproviderstrategy cluster clusterarn deploymentconfiguration deploymentcontroller desiredcount enableecsmanagedtags enableexecutecommand healthcheckgraceperiodseconds launchtype loadbalancers networkconfiguration placementstrategy platformfamily platformversion propagatetags role rolearn runningcount schedulingstrategy serviceconnectconfiguration servicearn servicename serviceregistries volumeconfigurations vpclatticeconfigurations',
  ),
)

/** Where a field of a service belongs in a module; fields not listed have no equivalent. */
const servicePlaces: Record<string, string> = {
  cluster: 'set the cluster in deploy.infrastructure, as ecs_cluster_arn',
  clusterarn: 'set the cluster in deploy.infrastructure, as ecs_cluster_arn',
  deploymentconfiguration: 'use deploy.strategy and deploy.alarms instead',
  loadbalancers: 'set the target groups that traffic is shifted between in deploy.infrastructure',
  servicearn: 'set the service in deploy.infrastructure, as ecs_service_arn',
  servicename: 'set the service in deploy.infrastructure, as ecs_service_arn',
}

const serviceRemedy = (name: string): string =>
  servicePlaces[name] ?? 'remove it: a release changes only the task definition of an existing service'

/** Where a field of a Lambda function belongs in a module; fields not listed have no equivalent. */
const functionPlaces: Record<string, string> = {
  code: 'set the code in deploy.definition: package_type, and s3_key or image_uri',
  functionarn: 'set the function in deploy.infrastructure, as function_arn',
  functionname: 'set the function in deploy.infrastructure, as function_arn',
  imageuri: 'set it in deploy.definition, as image_uri',
  packagetype: 'set it in deploy.definition, as package_type',
  s3bucket: 'set the bucket in deploy.infrastructure, as s3_artifact_bucket',
  s3key: 'set it in deploy.definition, as s3_key',
}

const ofFunction = new Set(
  names(
    'architectures codesha256 codesigningconfigarn deadletterconfig environment ephemeralstorage filesystemconfigs handler imageconfig kmskeyarn layers loggingconfig memorysize publish role runtime s3objectversion snapstart tags tracingconfig version vpcconfig zipfile',
  ),
)

/** Equivalents of RunTask fields in a command before or after a release. */
const commandPlaces: Record<string, string> = {
  overrides: 'use container_overrides for changes of containers, beside cpu, memory and the roles',
  taskdefinition: 'remove it: the command runs the task definition of the release',
  cluster: 'remove it: the command runs in the cluster of the service',
}

type Where = { root: string; deployType: unknown }

/**
 * Adds advice to an error about an unknown property that was pasted from AWS or CloudFormation: where it belongs in a
 * module, or that it has no equivalent.
 */
export function withRemedy(line: string, { root, deployType }: Where): string {
  const found = /^(\S+)\.(\w+): unknown property(?!; did you mean)/.exec(line)
  const [, parent, written] = found ?? []
  if (parent === undefined || written === undefined) return line
  const remedy = remedyOf(parent.slice(root.length), { name: spelled(written), deployType })
  return remedy === undefined ? line : `${parent}.${written}: ${remedy}`
}

function remedyOf(place: string, { name, deployType }: { name: string; deployType: unknown }): string | undefined {
  if (deployType === 'cloud:lambda' && /^(\.deploy(\.definition|\.infrastructure)?)?$/.test(place)) {
    if (functionPlaces[name] !== undefined) return functionPlaces[name]
    return ofFunction.has(name) ? 'remove it: a release changes only the code of an existing function' : undefined
  }
  if (deployType !== 'cloud:ecs' && deployType !== undefined) return undefined
  if (/^\.deploy\.(pre|post)_deploy$/.test(place)) {
    if (commandPlaces[name] !== undefined) return commandPlaces[name]
    return ofService.has(name) ? 'remove it: the command runs with the settings of the service' : undefined
  }
  if (!/^(\.deploy(\.infrastructure)?)?$/.test(place)) return undefined
  if (name === 'taskdefinition') return 'set it in deploy, as task_definition'
  if (name === 'containerdefinitions') return 'list containers in deploy.task_definition, as its container_definitions'
  if (ofTask.has(name)) return 'it belongs to a task definition: set it in deploy.task_definition'
  if (ofContainer.has(name)) return 'it belongs to a container: set it in deploy.task_definition.container_definitions'
  return ofService.has(name) ? serviceRemedy(name) : undefined
}

/**
 * Yields errors in a task definition, in snake case or AWS's camel case: fields that AWS does not accept, which its SDK
 * would silently drop, and fields in both notations.
 */
export function* taskDefinitionFaults(value: unknown, path: string): Generator<string> {
  if (Array.isArray(value)) yield `${path}: list containers in it as its container_definitions`
  if (!isObject(value)) return
  yield* fieldFaults(value, path, taskDefinition)
  yield* twinFaults(value, path)
}

/** Templates and spreads are validated when the block is rendered. */
function* fieldFaults(value: unknown, path: string, shape: Shape): Generator<string> {
  if (typeof value === 'string' && hasTemplate(value)) return
  if (kindOf(value) !== kindOfShape(shape)) {
    if (isNested(value) || isNested(shape)) yield `${path}: expected ${kindOfShape(shape)}, got ${kindOf(value)}`
    return
  }
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* fieldFaults(item, `${path}[${index}]`, (shape as [Shape])[0])
    return
  }
  if (!isObject(value) || shape === 'map') return
  for (const [name, member] of Object.entries(value)) {
    if (name.startsWith('...') || hasTemplate(name)) continue
    const at = memberPath(path, name)
    const field = fieldOf(shape as Fields, name)
    if (field === undefined) yield `${at}: ${adviceOn(name, member, shape as Fields)}`
    else yield* fieldFaults(member, at, field)
  }
}

const isNested = (value: unknown): boolean => value === 'map' || typeof value === 'object'

function kindOfShape(shape: Shape): string {
  if (typeof shape === 'object') return kindOf(shape)
  return shape === 'map' ? 'object' : shape
}

/** Returns the field of AWS's request with this name in camel case or snake case. */
const fieldOf = (fields: Fields, name: string): Shape | undefined =>
  Object.entries(fields).find(([field]) => name === field || name === snakeCase(field))?.[1]

function adviceOn(name: string, value: unknown, fields: Fields): string {
  const place =
    fields === taskDefinition ? taskAdvice(name, value) : fields === container ? containerAdvice(name) : undefined
  if (place !== undefined) return place
  const twin = Object.keys(fields).find((field) => spelled(field) === spelled(name))
  if (twin !== undefined && /^[A-Z]/.test(name)) return `rename it to ${snakeCase(twin)}`
  const what = 'unknown property'
  if (twin !== undefined) return `${what}; did you mean ${snakeCase(twin)}?`
  const isCamelCase = /[a-z][A-Z]/.test(name)
  return unknown(
    what,
    name,
    Object.keys(fields).map((field) => (isCamelCase ? field : snakeCase(field))),
  )
}

function taskAdvice(name: string, value: unknown): string | undefined {
  if (itsOwn.has(spelled(name))) return 'remove it: only responses of the cloud contain it'
  if (spelled(name) === 'taskdefinition' && isObject(value)) {
    return 'write the content of the task definition here instead'
  }
  if (ofContainer.has(spelled(name))) return 'it belongs to a container: set it in container_definitions'
  return ofService.has(spelled(name)) ? `it belongs to a service: ${serviceRemedy(spelled(name))}` : undefined
}

function containerAdvice(name: string): string | undefined {
  if (ofTask.has(spelled(name))) return 'it belongs to the task definition: set it beside container_definitions'
  return ofService.has(spelled(name)) ? `it belongs to a service: ${serviceRemedy(spelled(name))}` : undefined
}

/** Yields errors for fields that occur in both notations. */
function* twinFaults(value: unknown, path: string): Generator<string> {
  if (Array.isArray(value)) for (const [index, item] of value.entries()) yield* twinFaults(item, `${path}[${index}]`)
  if (!isObject(value)) return
  const known = new Map<string, string>()
  for (const [name, member] of Object.entries(value)) {
    const at = memberPath(path, name)
    const twin = known.get(spelled(name))
    if (twin !== undefined) yield `${at}: already set as ${twin}: keep one of them`
    known.set(spelled(name), name)
    if (!freeMaps.has(name)) yield* twinFaults(member, at)
  }
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

const snakeCase = (field: string): string =>
  field
    .replace(/GiB$/, 'Gib')
    .replaceAll(/(?<!^)([A-Z])/g, '_$1')
    .toLowerCase()
