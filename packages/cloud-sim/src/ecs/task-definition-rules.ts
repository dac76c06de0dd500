import type { RegisterTaskDefinitionRequest, Volume } from '@aws-sdk/client-ecs'
import { clientException } from '../errors.ts'
import { checkContainers } from './container-rules.ts'
import { fargateViolation } from './fargate-rules.ts'
import { checkTags } from './tag-rules.ts'
import { cpuUnits, memoryMiB } from './task-size.ts'

/** Rejects what ECS would not register, with its messages where known. */
export function checkTaskDefinition(input: RegisterTaskDefinitionRequest): void {
  const { family = '', volumes = [], tags = [] } = input
  if (!/^[a-zA-Z0-9_-]{1,255}$/.test(family)) {
    throw clientException(
      'Family contains invalid characters. Only letters, numbers, hyphens and underscores are allowed.',
    )
  }
  checkSize(input)
  checkRole(input.taskRoleArn)
  checkRole(input.executionRoleArn)
  checkVolumes(volumes)
  checkContainers(input)
  checkProxy(input)
  checkTags(tags)
  if (input.requiresCompatibilities?.includes('FARGATE')) {
    const reason = fargateViolation(input)
    if (reason !== undefined) throw clientException(reason)
  } else if (input.ephemeralStorage) {
    throw clientException('Ephemeral storage is only supported for tasks that require FARGATE.')
  }
}

function checkSize({ cpu, memory }: RegisterTaskDefinitionRequest): void {
  if (cpu && !cpuUnits(cpu)) throw clientException("Invalid 'cpu' setting for task.")
  if (memory && !memoryMiB(memory)) throw clientException("Invalid 'memory' setting for task.")
}

/** Checks a role's name or ARN. Whether it exists is checked when a task starts. */
function checkRole(role: string | undefined): void {
  if (!role || /^[\w+=,.@-]{1,64}$/.test(role)) return
  if (/^arn:aws[a-z-]*:iam::\d{12}:role\/([\w+=,.@-]+\/)*[\w+=,.@-]{1,64}$/.test(role)) return
  throw clientException('Role is not valid')
}

function checkVolumes(volumes: Volume[]): void {
  if (volumes.filter(({ configuredAtLaunch }) => configuredAtLaunch).length > 1) {
    throw clientException('Only one volume of a task definition can be configured at launch.')
  }
  const names = new Set<string>()
  for (const { name, host, dockerVolumeConfiguration, efsVolumeConfiguration, ...more } of volumes) {
    if (!name) throw clientException('Volume name should not be null or empty.')
    if (names.has(name)) throw clientException(`Volume names must be unique: ${name}.`)
    names.add(name)
    const kinds = [host?.sourcePath, dockerVolumeConfiguration, efsVolumeConfiguration]
    if ([...kinds, more.fsxWindowsFileServerVolumeConfiguration].filter(Boolean).length > 1) {
      throw clientException(`Volume ${name} can be of one kind only.`)
    }
    if (more.configuredAtLaunch && kinds.some(Boolean)) {
      throw clientException(`Volume ${name} is configured at launch and takes no configuration here.`)
    }
  }
}

function checkProxy({ proxyConfiguration, networkMode, containerDefinitions = [] }: RegisterTaskDefinitionRequest) {
  if (!proxyConfiguration) return
  if (networkMode !== 'awsvpc') {
    throw clientException("Proxy configuration is only supported when networkMode is 'awsvpc'.")
  }
  if (containerDefinitions.some(({ name }) => name === proxyConfiguration.containerName)) return
  throw clientException(`The proxy container ${proxyConfiguration.containerName} is not in the task definition.`)
}
