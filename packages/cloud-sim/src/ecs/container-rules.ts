import type { ContainerDefinition, HealthCheck, RegisterTaskDefinitionRequest } from '@aws-sdk/client-ecs'
import { clientException } from '../errors.ts'
import { checkDependencies } from './container-dependencies.ts'
import { checkPorts } from './container-ports.ts'
import { memoryMiB } from './task-size.ts'

const maxContainers = 10

/** Allowed ranges, in seconds or a number of retries, from the API reference of HealthCheck. */
const healthCheckRanges = {
  interval: [5, 300],
  timeout: [2, 120],
  retries: [1, 10],
  startPeriod: [0, 300],
} as const satisfies Partial<Record<keyof HealthCheck, [number, number]>>

const invalidSetting = (name: string, what: string) =>
  clientException(`Invalid setting for container '${name}'. ${what}`)

/** Checks a task definition's containers for rules that apply on every launch type. */
export function checkContainers(input: RegisterTaskDefinitionRequest): void {
  const { containerDefinitions: containers = [] } = input
  if (containers.length === 0) throw clientException('Container definitions must not be empty.')
  if (containers.length > maxContainers) {
    throw clientException(`A task definition can have at most ${maxContainers} containers.`)
  }
  const names = new Set<string>()
  for (const { name, image } of containers) {
    if (!name) throw clientException('Container.name should not be null or empty.')
    if (!/^[a-zA-Z0-9_-]{1,255}$/.test(name)) throw clientException('Container.name contains invalid characters.')
    if (!image) throw clientException('Container.image should not be null or empty.')
    if (names.has(name)) throw clientException(`Container definitions must have unique names: ${name}.`)
    names.add(name)
  }
  if (containers.every(({ essential }) => essential === false)) {
    throw clientException('At least one container must be essential.')
  }
  for (const container of containers) {
    const { name = '' } = container
    checkNumbers(name, container)
    checkMemory(input, name, container)
    checkVolumeUses(input, container)
    checkSecrets(input, container)
    checkHealth(name, container.healthCheck)
    checkLogging(containers, container)
  }
  checkPorts(input)
  checkDependencies(containers)
}

/** Allowed ranges of a container's numbers ("ContainerDefinition" in the API reference, read 2026-11). */
const numberRanges = {
  cpu: [0, 196_608],
  memory: [4, Number.POSITIVE_INFINITY],
  memoryReservation: [4, Number.POSITIVE_INFINITY],
  startTimeout: [0, Number.POSITIVE_INFINITY],
  stopTimeout: [0, Number.POSITIVE_INFINITY],
} as const satisfies Partial<Record<keyof ContainerDefinition, [number, number]>>

function checkNumbers(name: string, container: ContainerDefinition): void {
  for (const [field, [from, to]] of Object.entries(numberRanges)) {
    const value = container[field as keyof typeof numberRanges]
    if (value === undefined || (value >= from && value <= to)) continue
    throw clientException(`Invalid '${field}' setting for container '${name}'.`)
  }
  for (const { name: limit, softLimit = 0, hardLimit = 0 } of container.ulimits ?? []) {
    const [soft, hard] = [softLimit, hardLimit].map((value) => (value === -1 ? Number.POSITIVE_INFINITY : value))
    if (soft !== undefined && hard !== undefined && soft >= 0 && soft <= hard) continue
    throw invalidSetting(name, `The soft limit of the ulimit '${limit}' must be between 0 and its hard limit.`)
  }
}

/** Checks that each container has a memory size if the task has none. */
function checkMemory(
  { memory: ofTask, requiresCompatibilities = [] }: RegisterTaskDefinitionRequest,
  name: string,
  { memory, memoryReservation }: ContainerDefinition,
): void {
  if (!ofTask && !memory && !memoryReservation && !requiresCompatibilities.includes('FARGATE')) {
    throw invalidSetting(name, "At least one of 'memory' or 'memoryReservation' must be specified.")
  }
  if (memory && memoryReservation && memoryReservation > memory) {
    throw invalidSetting(name, "'memoryReservation' must not be more than 'memory'.")
  }
  const most = ofTask ? memoryMiB(ofTask) : undefined
  if (most === undefined || Math.max(memory ?? 0, memoryReservation ?? 0) <= most) return
  throw invalidSetting(name, "'memory' must not be more than that of the task.")
}

function checkVolumeUses(
  { volumes = [], containerDefinitions = [] }: RegisterTaskDefinitionRequest,
  { name = '', mountPoints = [], volumesFrom = [] }: ContainerDefinition,
): void {
  for (const { sourceVolume, containerPath } of mountPoints) {
    if (!volumes.some((volume) => volume.name === sourceVolume))
      throw clientException(`Unknown volume '${sourceVolume}'.`)
    if (!containerPath) throw invalidSetting(name, 'A mount point needs a containerPath.')
  }
  for (const { sourceContainer } of volumesFrom) {
    if (sourceContainer !== name && containerDefinitions.some((other) => other.name === sourceContainer)) continue
    throw invalidSetting(name, `There is no container '${sourceContainer}' to take volumes from.`)
  }
}

/** Requires an execution role for secrets, because ECS reads them with it. */
function checkSecrets(
  { executionRoleArn }: RegisterTaskDefinitionRequest,
  { environment = [], secrets = [], logConfiguration, repositoryCredentials }: ContainerDefinition,
): void {
  const all = [...secrets, ...(logConfiguration?.secretOptions ?? [])]
  if ((all.length > 0 || repositoryCredentials) && !executionRoleArn) {
    throw clientException(
      "When you are specifying container secrets, you must also specify a value for 'executionRoleArn'.",
    )
  }
  const taken = new Set(environment.map(({ name }) => name))
  for (const { name } of secrets) {
    if (taken.has(name)) {
      const message = `The secret name must be unique and not shared with any new or existing environment variables set on the container, such as '${name}'.`
      throw clientException(message)
    }
    taken.add(name)
  }
}

function checkHealth(name: string, healthCheck: HealthCheck | undefined): void {
  if (!healthCheck) return
  const [kind = '', ...rest] = healthCheck.command ?? []
  const isKnown = kind === 'NONE' || (['CMD', 'CMD-SHELL'].includes(kind) && rest.length > 0)
  if (!isKnown) throw invalidSetting(name, "The health check's command must begin with CMD, CMD-SHELL or NONE.")
  for (const [field, [from, to]] of Object.entries(healthCheckRanges)) {
    const value = healthCheck[field as keyof typeof healthCheckRanges]
    if (value === undefined || (value >= from && value <= to)) continue
    throw invalidSetting(name, `The health check's ${field} must be between ${from} and ${to}.`)
  }
}

/** Required options by log driver. */
const neededOptions: Record<string, string[]> = { awslogs: ['awslogs-group', 'awslogs-region'] }

function checkLogging(containers: ContainerDefinition[], { name = '', logConfiguration }: ContainerDefinition): void {
  const { logDriver, options = {} } = logConfiguration ?? {}
  if (!logDriver) return
  for (const option of neededOptions[logDriver] ?? []) {
    if (!options[option]) throw clientException(`Log driver ${logDriver} requires options: ${option}`)
  }
  if (logDriver === 'awsfirelens' && !containers.some(({ firelensConfiguration }) => firelensConfiguration)) {
    throw invalidSetting(name, 'The log driver awsfirelens needs a container with a firelensConfiguration.')
  }
}
