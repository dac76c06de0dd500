import { jsonPathSuffix } from '@sluice/contract/json-path'
import { faultsOf } from '@sluice/server/platform/http/faults'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { asMebibytes, asNumber, asSeconds, parseCommandWords } from './compose-values.ts'
import { isObject, type Json, type ParseResult, type Remark } from './defined.ts'
import { hasVariable } from './texts.ts'

const Compose = Compile(
  Type.Object(
    { services: Type.Record(Type.String({ pattern: '^[A-Za-z0-9._-]{1,100}$' }), Type.Object({})) },
    { additionalProperties: true },
  ),
)

/** Compose service, converted to a task definition. */
export type ComposeService = { name: string; path: string; definition: Json }

/** Reads the services of a Compose file (https://github.com/compose-spec/compose-spec, read 2026-11). */
export function readCompose(value: unknown): ParseResult<ComposeService[]> {
  const faults = faultsOf(Compose, value)
  if (faults.length > 0) return { faults }
  const { services, ...rest } = value as Json & { services: Record<string, Json> }
  const remarks: Remark[] = Object.keys(rest)
    .filter((name) => name !== 'name' && name !== 'version' && !name.startsWith('x-'))
    .map((name) => ({ path: `$${jsonPathSuffix(name)}`, why: ofFile[name] ?? unknown }))
  const found = Object.entries(services).map(([name, service]) => {
    const path = `$.services${jsonPathSuffix(name)}`
    const definition = taskDefinitionOf(name, service, (at, why) => remarks.push({ path: `${path}${at}`, why }))
    return { name, path, definition }
  })
  return { found, remarks }
}

/** Reports an omitted field, by its path below the service. */
type Leave = (at: string, why: string) => void

const unknown = 'not imported: ECS has no equivalent, or Sluice does not read it'
const network = 'the network of the ECS service is used'
const storage = 'tasks have no storage on a host: set volumes in the input task_settings'
const secretStore = 'keep it in a secret store, and refer to it in the input secrets'
const running = 'the ECS service defines the number, placement and restarts of tasks'
const developers = 'only for development machines'
const elsewhere = 'not resolved: run docker compose config first'

const ofFile: Readonly<Record<string, string>> = {
  volumes: storage,
  networks: network,
  secrets: secretStore,
  configs: secretStore,
  include: elsewhere,
}

const left: Readonly<Record<string, string>> = {
  build: 'CI or a build step builds the image: name its repository with --image',
  configs: secretStore,
  container_name: 'ECS names tasks itself',
  depends_on: 'each service becomes a separate module instance, without an order',
  develop: developers,
  dns: network,
  dns_search: network,
  env_file: 'not read, because it may contain secrets: use environment, or a secret store',
  extends: elsewhere,
  external_links: network,
  extra_hosts: network,
  hostname: network,
  links: network,
  network_mode: network,
  networks: network,
  profiles: developers,
  restart: running,
  scale: running,
  secrets: secretStore,
  tmpfs: storage,
  volumes: storage,
  volumes_from: storage,
}

function taskDefinitionOf(name: string, service: Json, leave: Leave): Json {
  const container: Json = { name, essential: true }
  const task: Json = {}
  for (const [key, value] of Object.entries(service)) {
    if (value === null || value === undefined || key.startsWith('x-')) continue
    const convert = Object.hasOwn(members, key) ? members[key] : undefined
    if (convert) convert({ container, task }, value, (at, why) => leave(`${jsonPathSuffix(key)}${at}`, why))
    else leave(jsonPathSuffix(key), Object.hasOwn(left, key) ? (left[key] ?? unknown) : unknown)
  }
  if (task.cpu === undefined && task.memory === undefined) {
    leave('', 'a Compose file does not define the task size: set the inputs cpu and memory')
  }
  return { family: name, ...task, containerDefinitions: [container] }
}

/** Result of the conversion so far: container and task fields, to which each converter adds. */
type Made = { container: Json; task: Json }
type Convert = (made: Made, value: unknown, leave: Leave) => void

const otherForm = 'unsupported form'

/** Returns a converter for a field with another name and the same type in ECS. */
const same =
  (name: string, kind: 'boolean' | 'string'): Convert =>
  ({ container }, value, leave) => {
    if (typeof value === kind) container[name] = value
    else leave('', otherForm)
  }

const words =
  (name: string): Convert =>
  ({ container }, value, leave) => {
    const found = parseCommandWords(value)
    if (found) container[name] = found
    else leave('', otherForm)
  }

/** Returns a converter for one of the container's Linux parameters. */
const ofLinux =
  (name: string, read: (value: unknown) => unknown): Convert =>
  ({ container }, value, leave) => {
    const found = read(value)
    if (found === undefined) leave('', otherForm)
    else container.linuxParameters = { ...Object(container.linuxParameters), [name]: found }
  }

const capability =
  (name: 'add' | 'drop'): Convert =>
  (made, value, leave) => {
    const { linuxParameters } = made.container
    const before = Object(Reflect.get(Object(linuxParameters), 'capabilities'))
    ofLinux('capabilities', (value) => (areTexts(value) ? { ...before, [name]: value } : undefined))(made, value, leave)
  }

const areTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')

const members: Readonly<Record<string, Convert>> = {
  image: same('image', 'string'),
  user: ({ container }, value, leave) => {
    if (typeof value === 'string' || typeof value === 'number') container.user = String(value)
    else leave('', otherForm)
  },
  working_dir: same('workingDirectory', 'string'),
  read_only: same('readonlyRootFilesystem', 'boolean'),
  tty: same('pseudoTerminal', 'boolean'),
  stdin_open: same('interactive', 'boolean'),
  privileged: same('privileged', 'boolean'),
  command: words('command'),
  entrypoint: words('entryPoint'),
  init: ofLinux('initProcessEnabled', (value) => (typeof value === 'boolean' ? value : undefined)),
  shm_size: ofLinux('sharedMemorySize', asMebibytes),
  cap_add: capability('add'),
  cap_drop: capability('drop'),
  environment: ({ container }, value, leave) => {
    container.environment = pairsOf(value, leave).flatMap(([name, value]) => {
      if (value !== undefined) return [{ name, value }]
      // A variable without a value takes that of Compose's own environment.
      if (/^[A-Za-z_]\w*$/.test(name)) return [{ name, value: `\${env:${name}}` }]
      leave('', `${name} is not a valid variable name`)
      return []
    })
  },
  labels: ({ container }, value, leave) => {
    const pairs = pairsOf(value, leave).map(([name, value]) => [name, value ?? ''] as const)
    container.dockerLabels = Object.fromEntries(pairs)
  },
  ports: (made, value, leave) => addPorts(made, value, leave),
  expose: (made, value, leave) => addPorts(made, value, leave),
  healthcheck: ({ container }, value, leave) => {
    const check = healthCheckOf(value, leave)
    if (check) container.healthCheck = check
  },
  stop_grace_period: ({ container }, value, leave) => {
    const seconds = secondsOf(value, leave)
    if (seconds !== undefined) container.stopTimeout = within(seconds, [0, Number.MAX_SAFE_INTEGER], leave)
  },
  logging: ({ container }, value, leave) => {
    const { driver, options = {}, ...rest } = Object(value)
    for (const name of Object.keys(rest)) leave(jsonPathSuffix(name), unknown)
    if (typeof driver !== 'string' || !isObject(options) || drivers[driver] === undefined) {
      return leave('', 'unsupported log driver: ECS supports awslogs, splunk, fluentd, gelf and others')
    }
    const texts = Object.entries(options).map(([name, option]) => [name, String(option)])
    container.logConfiguration = { logDriver: driver, options: Object.fromEntries(texts) }
  },
  ulimits: ({ container }, value, leave) => {
    if (!isObject(value)) return leave('', otherForm)
    container.ulimits = Object.entries(value).flatMap(([name, limit]) => {
      const { soft = limit, hard = limit, ...rest }: Json = isObject(limit) ? limit : {}
      for (const more of Object.keys(rest)) leave(`${jsonPathSuffix(name)}${jsonPathSuffix(more)}`, unknown)
      if (Number.isInteger(soft) && Number.isInteger(hard)) return [{ name, softLimit: soft, hardLimit: hard }]
      leave(jsonPathSuffix(name), otherForm)
      return []
    })
  },
  sysctls: ({ container }, value, leave) => {
    container.systemControls = pairsOf(value, leave).map(([namespace, value]) => ({ namespace, value: value ?? '' }))
  },
  platform: ({ task }, value, leave) => {
    const cpuArchitecture = { 'linux/amd64': 'X86_64', 'linux/arm64': 'ARM64' }[String(value)]
    if (cpuArchitecture) task.runtimePlatform = { cpuArchitecture, operatingSystemFamily: 'LINUX' }
    else leave('', otherForm)
  },
  cpus: (made, value, leave) => limit(made, { cpus: value }, leave),
  mem_limit: (made, value, leave) => limit(made, { memory: value }, leave),
  mem_reservation: ({ container }, value, leave) => reservation(container, value, leave),
  deploy: (made, value, leave) => {
    if (!isObject(value)) return leave('', otherForm)
    const { resources, ...rest } = value
    for (const name of Object.keys(rest)) leave(jsonPathSuffix(name), running)
    const { limits = {}, reservations = {}, ...others } = Object(resources) as Json
    for (const name of Object.keys(others)) leave(`.resources${jsonPathSuffix(name)}`, unknown)
    limit(made, Object(limits), (at, why) => leave(`.resources.limits${at}`, why))
    const { memory, ...more } = Object(reservations) as Json
    if (memory !== undefined) {
      reservation(made.container, memory, (at, why) => leave(`.resources.reservations.memory${at}`, why))
    }
    for (const name of Object.keys(more)) leave(`.resources.reservations${jsonPathSuffix(name)}`, unknown)
  },
}

/** Log drivers on Fargate and EC2 (API reference of LogConfiguration, read 2026-11). */
const drivers: Readonly<Record<string, true>> = Object.assign(Object.create(null), {
  awsfirelens: true,
  awslogs: true,
  fluentd: true,
  gelf: true,
  journald: true,
  'json-file': true,
  splunk: true,
  syslog: true,
})

function limit({ container }: Made, { cpus, memory, ...rest }: Json, leave: Leave): void {
  for (const name of Object.keys(rest)) leave(jsonPathSuffix(name), unknown)
  if (cpus !== undefined) {
    const units = Math.round(Number(cpus) * 1_024)
    if (units > 0 && units <= 1_000_000) container.cpu = units
    else leave('.cpus', otherForm)
  }
  if (memory === undefined) return
  const mebibytes = asMebibytes(memory)
  if (mebibytes === undefined) leave('.memory', otherForm)
  else container.memory = mebibytes
}

function reservation(container: Json, value: unknown, leave: Leave): void {
  const mebibytes = asMebibytes(value)
  if (mebibytes === undefined) leave('', otherForm)
  else container.memoryReservation = mebibytes
}

/** Returns the pairs of a mapping, or of a list of `NAME=value`. */
function pairsOf(value: unknown, leave: Leave): [name: string, value: string | undefined][] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index): [string, string | undefined][] => {
      const [, name, text] = /^([^=${}\s]+)(?:=(.*))?$/s.exec(typeof item === 'string' ? item : '') ?? []
      if (name !== undefined) return [[name, text]]
      leave(`[${index}]`, otherForm)
      return []
    })
  }
  if (!isObject(value)) {
    leave('', otherForm)
    return []
  }
  return Object.entries(value).flatMap(([name, one]): [string, string | undefined][] => {
    if (one === null) return [[name, undefined]]
    if (typeof one !== 'object') return [[name, String(one)]]
    leave(jsonPathSuffix(name), otherForm)
    return []
  })
}

function addPorts({ container }: Made, value: unknown, leave: Leave): void {
  if (!Array.isArray(value)) {
    leave('', otherForm)
    return
  }
  const known = (container.portMappings ?? []) as { containerPort: number; protocol: string }[]
  for (const [index, item] of value.entries()) {
    const port = portOf(item)
    if (!port) leave(`[${index}]`, otherForm)
    else if (!known.some((one) => one.containerPort === port.containerPort && one.protocol === port.protocol)) {
      known.push(port)
    }
    if (port && publishes(item))
      leave(`[${index}]`, 'published ports are ignored: load balancers use the container port')
    for (const name of Object.keys(isObject(item) ? item : {})) {
      if (!['target', 'protocol', 'published'].includes(name)) leave(`[${index}]${jsonPathSuffix(name)}`, unknown)
    }
  }
  container.portMappings = known
}

function portOf(item: unknown): { containerPort: number; protocol: string } | undefined {
  const { target, protocol = 'tcp' } = Object(item)
  const [, port = target, proto = protocol] = /^(?:.*:)?(\d{1,5})(?:\/(tcp|udp))?$/.exec(String(item)) ?? []
  const containerPort = Number(port)
  const isPort = Number.isInteger(containerPort) && containerPort > 0 && containerPort < 65_536
  return isPort && (proto === 'tcp' || proto === 'udp') ? { containerPort, protocol: proto } : undefined
}

const publishes = (item: unknown): boolean =>
  isObject(item) ? item.published !== undefined : String(item).includes(':')

/** Parsers and ECS limits of health check fields (API reference of HealthCheck, read 2026-11). */
const checkParts = {
  interval: { as: 'interval', read: secondsOf, between: [5, 300] },
  timeout: { as: 'timeout', read: secondsOf, between: [2, 60] },
  retries: { as: 'retries', read: countOf, between: [1, 10] },
  start_period: { as: 'startPeriod', read: secondsOf, between: [0, 300] },
} as const

function healthCheckOf(value: unknown, leave: Leave): Json | undefined {
  if (!isObject(value)) return void leave('', otherForm)
  const { test, disable, ...rest } = value
  for (const name of Object.keys(rest)) if (!Object.hasOwn(checkParts, name)) leave(jsonPathSuffix(name), unknown)
  const command = typeof test === 'string' ? ['CMD-SHELL', test] : areTexts(test) ? test : undefined
  if (disable === true || command?.[0] === 'NONE') {
    return void leave('', 'ECS ignores health checks of the image, so there is nothing to disable')
  }
  if (!command) return void leave('.test', 'a health check needs a command')
  const parts = Object.entries(checkParts).flatMap(([name, { as, read, between }]) => {
    const given = rest[name]
    if (given === undefined || given === null) return []
    const leavePart: Leave = (at, why) => leave(`${jsonPathSuffix(name)}${at}`, why)
    const number = read(given, leavePart)
    return number === undefined ? [] : [[as, within(number, between, leavePart)]]
  })
  return { command, ...Object.fromEntries(parts) }
}

const noVariable = 'a number or a duration cannot be a variable: write the value'

function countOf(value: unknown, leave: Leave): number | undefined {
  const number = asNumber(value)
  if (number === undefined) leave('', hasVariable(String(value)) ? noVariable : otherForm)
  return number
}

function secondsOf(value: unknown, leave: Leave): number | undefined {
  const seconds = asSeconds(value)
  if (seconds === undefined) leave('', hasVariable(String(value)) ? noVariable : otherForm)
  else if (asNumber(value) !== undefined) leave('', 'has no unit: read as seconds')
  return seconds
}

/** Rounds up and clamps a number to the range that ECS accepts. */
function within(number: number, [least, most]: readonly [number, number], leave: Leave): number {
  const whole = Math.min(Math.max(Math.ceil(number), least), most)
  if (whole !== number) {
    leave(
      '',
      number > most || number < least ? `ECS accepts ${least} to ${most}: changed to ${whole}` : wholeOnly(whole),
    )
  }
  return whole
}

const wholeOnly = (whole: number) => `ECS accepts whole numbers: changed to ${whole}`
