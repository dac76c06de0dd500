import { jsonPathSuffix } from '@sluice/contract/json-path'
import type { FileProblem } from '@sluice/server/interface/source-text/fault'
import { readCompose } from './compose.ts'
import { type DefinedService, isObject, type ParseResult, type Remark } from './defined.ts'
import { type EcspressoConfig, readEcspresso } from './ecspresso.ts'
import { readService, type ServiceDefinition, type ServiceEntry, servicesIn } from './service.ts'
import type { Source } from './source.ts'
import { checkSidecarImages, readTaskDefinition, remarksOnApp, type TaskDefinition } from './task-definition.ts'
import {
  convertTexts,
  ecspressoText,
  type Lookups,
  type ParsedText,
  parseComposeText,
  parsePlainText,
} from './texts.ts'

/** Services in the files, with remarks about omitted parts and errors. */
export type Definitions = {
  defined: { from: Source; one: DefinedService; path: string }[]
  told: FileProblem[]
  faults: FileProblem[]
}

/** Reads a file next to another one, or returns the reason why not. */
export type SiblingReader = (from: Source, name: string) => Source | { faults: FileProblem[] }

type Found<T> = T & { from: Source; path: string }
type Task = Found<TaskDefinition & { place: DefinedService['place']; name: string }>
/** Service with the task definition that an ecspresso configuration names, if any. */
type Service = Found<ServiceDefinition & { task?: Task }>
/** Intermediate result. Services that were not requested produce no remarks. */
type Gathered = {
  isWanted(name: string | undefined): boolean
  tasks: Task[]
  services: Service[]
  told: FileProblem[]
  faults: FileProblem[]
  lookups: Lookups
}

/**
 * Returns the services in the files. A service and its task definition may be in separate files. `only` selects one of
 * several.
 */
export function definitionsIn(sources: readonly Source[], beside: SiblingReader, only?: string): Definitions {
  const isWanted = (name: string | undefined) => only === undefined || name === only
  const gathered: Gathered = { isWanted, tasks: [], services: [], told: [], faults: [], lookups: new Map() }
  for (const source of sources) gather(source, beside, gathered)
  const { tasks, services, told, faults } = gathered
  const taken = new Set<Task>()
  const defined = services.flatMap((service) => {
    const task = service.task ?? taskOf(service, tasks)
    if (!task) {
      faults.push(service.from.faultAt(taskMissing(service)))
      return []
    }
    taken.add(task)
    return [definedBy(task, service, gathered)]
  })
  const alone = tasks
    .filter((task) => !taken.has(task) && isWanted(task.name))
    .map((task) => definedBy(task, undefined, gathered))
  return { defined: [...defined, ...alone], told, faults }
}

function gather(source: Source, beside: SiblingReader, gathered: Gathered): void {
  const kind = kindOf(source.value)
  if (kind !== undefined) gatherers[kind](source, gathered, beside)
  else gathered.faults.push(source.faultAt(`$: unknown format. Expected one of: ${kinds}`))
}

const kinds = 'a task definition or services as AWS prints them, ecspresso.yml, a Compose file'

type Kind = 'compose' | 'ecspresso' | 'service' | 'task'

const gatherers: Readonly<Record<Kind, (source: Source, gathered: Gathered, beside: SiblingReader) => void>> = {
  compose: gatherCompose,
  ecspresso: gatherEcspresso,
  service: (source, gathered) => gatherServices(written(source, parsePlainText, gathered), gathered),
  task: (source, gathered) => gatherTask(written(source, parsePlainText, gathered), gathered, {}),
}

function kindOf(value: unknown): Kind | undefined {
  if (Array.isArray(value)) return value.length > 0 && value.every(isService) ? 'service' : undefined
  if (!isObject(value)) return undefined
  if (isObject(value.taskDefinition) || value.containerDefinitions !== undefined) return 'task'
  if (Array.isArray(value.services) || isService(value)) return 'service'
  if (isObject(value.services)) return 'compose'
  return typeof value.task_definition === 'string' ? 'ecspresso' : undefined
}

const isService = (value: unknown): boolean =>
  isObject(value) && (typeof value.serviceArn === 'string' || typeof value.serviceName === 'string')

/** Converts the texts of a file to the syntax of project files. */
function written(source: Source, read: (text: string) => ParsedText, { told }: Gathered): Source {
  const { value, remarks } = convertTexts(source.value, read)
  told.push(...remarks.map(source.placed))
  return { ...source, value }
}

/** Returns the value of a result and records its remarks, or returns undefined and records its errors. */
function readFrom<T>(source: Source, read: ParseResult<T>, { told, faults }: Gathered): T | undefined {
  if ('faults' in read) {
    faults.push(...read.faults.map(source.faultAt))
    return undefined
  }
  told.push(...read.remarks.map(source.placed))
  return read.found
}

function gatherTask(from: Source, gathered: Gathered, place: DefinedService['place'], name?: string): Task | undefined {
  const task = readFrom(from, readTaskDefinition(from.value), gathered)
  if (!task) return undefined
  const found = { ...task, from, place, name: name ?? String(task.definition.family) }
  gathered.tasks.push(found)
  return found
}

function gatherServices(from: Source, gathered: Gathered): void {
  const { spots, remarks } = servicesIn(from.value)
  gathered.told.push(...remarks.map(from.placed))
  for (const spot of spots) if (gathered.isWanted(nameOf(spot.value))) gatherService(from, spot, gathered)
}

function gatherService(from: Source, spot: ServiceEntry, gathered: Gathered): Service | undefined {
  const service = readFrom(from, readService(spot), gathered)
  if (!service) return undefined
  const found = { ...service, from, path: spot.path }
  gathered.services.push(found)
  return found
}

const nameOf = (service: unknown): string | undefined => {
  const { serviceName, serviceArn } = Object(service) as { serviceName?: unknown; serviceArn?: unknown }
  return String(serviceName ?? serviceArn)
    .split('/')
    .at(-1)
}

function gatherCompose(source: Source, gathered: Gathered): void {
  const { services, ...rest } = source.value as { services: Record<string, unknown> }
  const wanted = {
    ...membersOf(rest, (name) => !name.startsWith('x-')),
    services: membersOf(services, gathered.isWanted),
  }
  const from = written({ ...source, value: wanted }, parseComposeText, gathered)
  for (const { name, path, definition } of readFrom(from, readCompose(from.value), gathered) ?? []) {
    const read = readTaskDefinition(definition)
    if ('faults' in read) {
      gathered.faults.push(...read.faults.map((line) => from.faultAt(`${path}${belowService(line)}`)))
    } else gathered.tasks.push({ ...read.found, appPath: path, from, path, place: {}, name })
  }
}

const membersOf = (members: object, isWanted: (name: string) => boolean) =>
  Object.fromEntries(Object.entries(members).filter(([name]) => isWanted(name)))

/** Converts the path of a Compose service's only container to its name in the file. */
const belowService = (line: string): string => line.replace('$.containerDefinitions[0]', '').replace(/^\$/, '')

function gatherEcspresso(source: Source, gathered: Gathered, beside: SiblingReader): void {
  const text = ecspressoText(gathered.lookups)
  const config = readFrom(source, readEcspresso(written(source, text, gathered).value), gathered)
  if (!config) return
  const task = named(source, beside, config.taskDefinitionFile, gathered)
  const found = task && gatherTask(task, gathered, placeIn(config), config.service)
  const file = config.serviceDefinitionFile && named(source, beside, config.serviceDefinitionFile, gathered)
  if (!found || !file) return
  const service = gatherService(file, { value: file.value, path: '$' }, gathered)
  if (!service) return
  service.place = { ...placeIn(config), ...service.place }
  service.name = config.service ?? service.name ?? found.name
  service.task = found
}

function named(source: Source, beside: SiblingReader, name: string, gathered: Gathered): Source | undefined {
  const read = beside(source, name)
  if (!('faults' in read)) return written(read, ecspressoText(gathered.lookups), gathered)
  gathered.faults.push(...read.faults)
  return undefined
}

const placeIn = ({ region, cluster }: EcspressoConfig): DefinedService['place'] => ({
  ...(region !== undefined && { region }),
  ...(cluster !== undefined && { clusterArn: cluster }),
})

/** Returns the task definition of a service: its revision, or the only one of its family. */
function taskOf({ taskDefinition }: Service, tasks: readonly Task[]): Task | undefined {
  if (taskDefinition === undefined) return tasks.length === 1 ? tasks[0] : undefined
  const [family = '', revision] = (taskDefinition.split('/').at(-1) ?? '').split(':')
  const alike = tasks.filter(({ name }) => name === family)
  return alike.find(({ definition }) => String(definition.revision) === revision) ?? alike[0]
}

const taskMissing = ({ path, taskDefinition }: Service): string =>
  `${path}.taskDefinition: its task definition is not in the files: add the output of aws ecs describe-task-definition` +
  `${taskDefinition === undefined ? '' : ` with --task-definition ${taskDefinition.split('/').at(-1)}`}`

function definedBy(task: Task, service: Service | undefined, { told, faults }: Gathered): Definitions['defined'][0] {
  const { definition, tags, from, path } = task
  faults.push(...checkSidecarImages(task, service?.balancedContainer).map(from.faultAt))
  const say = (remarks: Remark[]) => told.push(...remarks.map(from.placed))
  say(remarksOnApp(task, service?.balancedContainer))
  const revision = service?.taskDefinition?.split(':').at(-1) ?? ''
  if (/^\d+$/.test(revision) && definition.revision !== undefined && String(definition.revision) !== revision) {
    say([{ path: `${path}${jsonPathSuffix('revision')}`, why: `the service runs revision ${revision}, not this one` }])
  }
  const { place = task.place, name = task.name, strategy = { type: 'rolling' }, ...rest } = service ?? {}
  const { balancedContainer, trafficShift } = rest as Partial<Service>
  const one: DefinedService = {
    name,
    place: { ...task.place, ...place },
    definition,
    tags,
    strategy,
    ...(balancedContainer !== undefined && { balancedContainer }),
    ...(trafficShift && { trafficShift }),
  }
  return { from: service?.from ?? from, one, path: service?.path ?? path }
}
