import { freeMaps } from '@sluice/contract'
import { memberPath, spelled } from '../../../platform/http/faults.ts'

type Json = Record<string, unknown>

/** Names as `spelled` has them. */
const names = (text: string): readonly string[] => text.split(' ')

/** What the cloud answers of a task definition beside what it was asked for. */
const itsOwn = new Set(
  names(
    'taskdefinitionarn revision status requiresattributes compatibilities registeredat registeredby deregisteredat deleterequestedat',
  ),
)

/** What is said of a container, and not of the task that it is in. */
const ofContainer = new Set(
  names(
    'command containername credentialspecs dependson disablenetworking dnssearchdomains dnsservers dockerlabels dockersecurityoptions entrypoint environment environmentfiles essential extrahosts firelensconfiguration healthcheck hostname image interactive links linuxparameters logconfiguration memoryreservation mountpoints portmappings privileged pseudoterminal readonlyrootfilesystem repositorycredentials resourcerequirements restartpolicy secrets starttimeout stoptimeout systemcontrols ulimits user versionconsistency volumesfrom workingdirectory',
  ),
)

/** What is said of a task definition, and not of the containers in it. */
const ofTask = new Set(
  names(
    'containerdefinitions enablefaultinjection ephemeralstorage executionrolearn family inferenceaccelerators ipcmode networkmode pidmode placementconstraints proxyconfiguration requirescompatibilities runtimeplatform taskrolearn volumes',
  ),
)

/** What is said of a service that runs tasks. */
const ofService = new Set(
  names(
    'availabilityzonerebalancing capacityproviderstrategy cluster clusterarn deploymentconfiguration deploymentcontroller desiredcount enableecsmanagedtags enableexecutecommand healthcheckgraceperiodseconds launchtype loadbalancers networkconfiguration placementstrategy platformfamily platformversion propagatetags role rolearn runningcount schedulingstrategy serviceconnectconfiguration servicearn servicename serviceregistries volumeconfigurations vpclatticeconfigurations',
  ),
)

/** Where a part of a service has its place in a module; the others have none. */
const servicePlaces: Record<string, string> = {
  cluster: 'the cluster stands in deploy.infrastructure, as ecs_cluster_arn',
  clusterarn: 'the cluster stands in deploy.infrastructure, as ecs_cluster_arn',
  deploymentconfiguration: 'how a release goes is said by deploy.strategy and deploy.alarms',
  loadbalancers: 'the target groups that traffic is shifted between stand in deploy.infrastructure',
  servicearn: 'the service stands in deploy.infrastructure, as ecs_service_arn',
  servicename: 'the service stands in deploy.infrastructure, as ecs_service_arn',
}

const serviceRemedy = (name: string): string =>
  servicePlaces[name] ??
  'a release changes the task definition of a service that is there, and no other part of it: leave it out'

/** Parts of a function, as the cloud has them, that have another place in a module; the others have none. */
const functionPlaces: Record<string, string> = {
  code: 'the code stands in deploy.definition: package_type, and s3_key or image_uri',
  functionarn: 'the function stands in deploy.infrastructure, as function_arn',
  functionname: 'the function stands in deploy.infrastructure, as function_arn',
  imageuri: 'it stands in deploy.definition, as image_uri',
  packagetype: 'it stands in deploy.definition, as package_type',
  s3bucket: 'the bucket stands in deploy.infrastructure, as s3_artifact_bucket',
  s3key: 'it stands in deploy.definition, as s3_key',
}

const ofFunction = new Set(
  names(
    'architectures codesha256 codesigningconfigarn deadletterconfig environment ephemeralstorage filesystemconfigs handler imageconfig kmskeyarn layers loggingconfig memorysize publish role runtime s3objectversion snapstart tags tracingconfig version vpcconfig zipfile',
  ),
)

/** What a command before or after a release takes from the request that runs a task, in other words. */
const commandPlaces: Record<string, string> = {
  overrides: 'what it changes of containers is written container_overrides, beside cpu, memory and the roles',
  taskdefinition: 'it runs the task definition of the release: leave it out',
  cluster: 'it runs in the cluster of the service: leave it out',
}

type Where = { root: string; deployType: unknown }

/**
 * A line about a property that there is not, with what to do where it was pasted from what the cloud, or a template of
 * it, has: where its place in a module is, or that it has none.
 */
export function withRemedy(line: string, { root, deployType }: Where): string {
  const found = /^(\S+)\.(\w+): expected nothing, there is no such property(?!; did you mean)/.exec(line)
  const [, parent, written] = found ?? []
  if (parent === undefined || written === undefined) return line
  const remedy = remedyOf(parent.slice(root.length), { name: spelled(written), deployType })
  return remedy === undefined ? line : `${parent}.${written}: ${remedy}`
}

function remedyOf(place: string, { name, deployType }: { name: string; deployType: unknown }): string | undefined {
  if (deployType === 'cloud:lambda' && /^(\.deploy(\.definition|\.infrastructure)?)?$/.test(place)) {
    if (functionPlaces[name] !== undefined) return functionPlaces[name]
    return ofFunction.has(name)
      ? 'a release changes the code of a function that is there, and no other part of it: leave it out'
      : undefined
  }
  if (deployType !== 'cloud:ecs' && deployType !== undefined) return undefined
  if (/^\.deploy\.(pre|post)_deploy$/.test(place)) {
    if (commandPlaces[name] !== undefined) return commandPlaces[name]
    return ofService.has(name) ? 'it runs as tasks of the service do: leave it out' : undefined
  }
  if (!/^(\.deploy(\.infrastructure)?)?$/.test(place)) return undefined
  if (name === 'taskdefinition') return 'it stands in deploy, as task_definition'
  if (name === 'containerdefinitions') return 'containers stand in deploy.task_definition, as its container_definitions'
  if (ofTask.has(name)) return 'it is of a task definition: it stands in deploy.task_definition'
  if (ofContainer.has(name)) return 'it is of a container: it stands in deploy.task_definition.container_definitions'
  return ofService.has(name) ? serviceRemedy(name) : undefined
}

/**
 * What is wrong with a task definition that was pasted from what the cloud, or a template of it, has. The rest of a
 * task definition is handed on as it is, in snake case or in the camel case of the cloud, so that nothing else would
 * say that a part of it counts for nothing.
 */
export function* pastedFaults(taskDefinition: unknown, path: string): Generator<string> {
  if (Array.isArray(taskDefinition)) yield `${path}: containers stand in it as its container_definitions`
  if (!isObject(taskDefinition)) return
  for (const [name, value] of Object.entries(taskDefinition)) {
    const at = memberPath(path, name)
    if (itsOwn.has(spelled(name))) yield `${at}: the cloud says it of a revision that is there: leave it out`
    if (spelled(name) === 'taskdefinition' && isObject(value)) {
      yield `${at}: the task definition is what stands in it: write that here instead`
    }
    if (ofContainer.has(spelled(name))) yield `${at}: it is of a container: it stands in container_definitions`
    if (ofService.has(spelled(name))) yield `${at}: it is of a service: ${serviceRemedy(spelled(name))}`
    if (spelled(name) === 'containerdefinitions' && Array.isArray(value)) yield* containerFaults(value, at)
  }
  yield* spellingFaults(taskDefinition, path)
}

function* containerFaults(containers: readonly unknown[], path: string): Generator<string> {
  for (const [index, container] of containers.entries()) {
    if (!isObject(container)) continue
    for (const name of Object.keys(container)) {
      const at = memberPath(`${path}[${index}]`, name)
      if (ofTask.has(spelled(name))) yield `${at}: it is of the task definition: it stands beside container_definitions`
      if (ofService.has(spelled(name))) yield `${at}: it is of a service: ${serviceRemedy(spelled(name))}`
    }
  }
}

function* spellingFaults(value: unknown, path: string): Generator<string> {
  if (Array.isArray(value))
    for (const [index, item] of value.entries()) yield* spellingFaults(item, `${path}[${index}]`)
  if (!isObject(value)) return
  const known = new Map<string, string>()
  for (const [name, member] of Object.entries(value)) {
    const at = memberPath(path, name)
    const twin = known.get(spelled(name))
    if (twin !== undefined) yield `${at}: it stands there as ${twin} already: keep one of them`
    else if (/^[A-Z]/.test(name)) yield `${at}: it is written ${snakeCase(name)}`
    known.set(spelled(name), name)
    if (!freeMaps.has(name)) yield* spellingFaults(member, at)
  }
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

const snakeCase = (name: string): string => name.replaceAll(/(?<!^)([A-Z])/g, '_$1').toLowerCase()
