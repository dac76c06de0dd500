import type { ContainerDefinition, RegisterTaskDefinitionRequest } from '@aws-sdk/client-ecs'
import { cpuUnits, memoryMiB } from './task-size.ts'

const steps = (from: number, to: number, step: number) =>
  Array.from({ length: (to - from) / step + 1 }, (_, index) => from + index * step)

/** Memory sizes in MiB by CPU units, from the developer guide. */
const sizes: Record<number, number[]> = {
  256: [512, 1024, 2048],
  512: steps(1024, 4096, 1024),
  1024: steps(2048, 8192, 1024),
  2048: steps(4096, 16_384, 1024),
  4096: steps(8192, 30_720, 1024),
  8192: steps(16_384, 61_440, 4096),
  16384: steps(32_768, 122_880, 8192),
}

const logDrivers = ['awslogs', 'splunk', 'awsfirelens']
const maxStopSeconds = 120
/** Range of configurable ephemeral storage; the default is 20 GiB. */
const ephemeralGiB = { least: 21, most: 200 }

/** Returns why a task definition is incompatible with Fargate, or undefined. */
export function fargateViolation(input: Omit<RegisterTaskDefinitionRequest, 'family' | 'tags'>): string | undefined {
  const { containerDefinitions = [], volumes = [], ephemeralStorage } = input
  if (input.networkMode !== 'awsvpc') return "Fargate only supports network mode 'awsvpc'."
  if (!input.cpu) return "Fargate requires that 'cpu' be defined at the task level."
  if (!input.memory) return "Fargate requires that 'memory' be defined at the task level."
  if (!sizes[cpuUnits(input.cpu) ?? 0]?.includes(memoryMiB(input.memory) ?? 0)) {
    return `No Fargate configuration exists for given values: ${input.cpu} CPU, ${input.memory} memory. See the Amazon ECS documentation for the valid values.`
  }
  if (input.placementConstraints?.length) return 'Placement constraints are not supported on Fargate.'
  if (input.pidMode === 'host') return "Fargate does not support pidMode 'host'."
  if (input.ipcMode) return 'Fargate does not support ipcMode.'
  const gib = ephemeralStorage?.sizeInGiB
  if (gib !== undefined && (gib < ephemeralGiB.least || gib > ephemeralGiB.most)) {
    return `Ephemeral storage size must be between ${ephemeralGiB.least} and ${ephemeralGiB.most} GiB.`
  }
  for (const { host, dockerVolumeConfiguration } of volumes) {
    if (host?.sourcePath) return 'Host.sourcePath should not be set for volumes in Fargate.'
    if (dockerVolumeConfiguration) return 'Fargate does not support Docker volumes.'
  }
  return containerDefinitions
    .map((container) => invalidContainer(input, container))
    .find((reason) => reason !== undefined)
}

function invalidContainer(
  { executionRoleArn }: Pick<RegisterTaskDefinitionRequest, 'executionRoleArn'>,
  { image = '', privileged, linuxParameters, logConfiguration, stopTimeout, links }: ContainerDefinition,
): string | undefined {
  if (privileged) return 'Fargate does not support privileged containers.'
  if (links?.length) return 'Fargate does not support links.'
  const { devices, sharedMemorySize, tmpfs } = linuxParameters ?? {}
  if (devices?.length || sharedMemorySize !== undefined || tmpfs?.length) {
    return 'Fargate does not support devices, sharedMemorySize and tmpfs of linuxParameters.'
  }
  if (stopTimeout !== undefined && stopTimeout > maxStopSeconds) {
    return `Fargate supports a stopTimeout of at most ${maxStopSeconds} seconds.`
  }
  const { logDriver, options } = logConfiguration ?? {}
  if (logDriver && !logDrivers.includes(logDriver)) {
    return `Fargate does not support the log driver ${logDriver}. Supported drivers are ${logDrivers.join(', ')}.`
  }
  if (logDriver === 'awslogs') {
    if (!options?.['awslogs-stream-prefix']) {
      return 'Log driver awslogs requires options: awslogs-stream-prefix when used with Fargate.'
    }
    if (!executionRoleArn) {
      return 'Fargate requires task definition to have execution role ARN to support log driver awslogs.'
    }
  }
  if (!executionRoleArn && /^\d{12}\.dkr\.ecr\./.test(image)) {
    return 'Fargate requires task definition to have execution role ARN to support ECR images.'
  }
  return undefined
}
