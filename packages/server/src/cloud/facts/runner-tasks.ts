import type { ExecutionNetwork, ExecutionSize } from '@sluice/contract'

/** Role, region and cluster in which runner tasks are started. */
export type RunnerPlace = { roleArn: string; region: string; clusterName: string }

/** Settings that all runner tasks of an execution environment share. */
export type RunnerKind = { place: RunnerPlace; environmentId: string; image: string; size: ExecutionSize }

/** Runner task that executes one step attempt. */
export type RunnerTaskRequest = {
  clusterName: string
  taskDefinitionArn: string
  network: ExecutionNetwork
  /** Identifies the task. Two requests with the same name start one task. */
  name: string
  /** Environment variables of this task. */
  env: Record<string, string>
}

export const runnerContainer = 'runner'
const streamPrefix = 'sluice'

/** Returns the names of the resources for runner tasks, as the documented templates name them. */
export function namesIn({ roleArn, region, clusterName }: RunnerPlace) {
  const [, partition = 'aws', , , accountNumber = ''] = roleArn.split(':')
  const role = (purpose: string) => `arn:${partition}:iam::${accountNumber}:role/${clusterName}-${purpose}-${region}`
  return {
    taskRoleArn: role('task'),
    executionRoleArn: role('execution'),
    logGroupName: `/sluice/${clusterName}`,
    streamPrefix,
  }
}

/** Returns the prefix of the log streams of a task. */
export const logStreamPrefixOf = (taskArn: string): string =>
  `${streamPrefix}/${runnerContainer}/${taskArn.split('/').at(-1)}`

const steps = (from: number, to: number, step: number) =>
  Array.from({ length: (to - from) / step + 1 }, (_, index) => from + index * step)

/** Memory sizes in MiB by CPU units on Fargate ("Task CPU and memory", developer guide, read 2026-11). */
const sizes: Record<number, number[]> = {
  256: [512, 1024, 2048],
  512: steps(1024, 4096, 1024),
  1024: steps(2048, 8192, 1024),
  2048: steps(4096, 16_384, 1024),
  4096: steps(8192, 30_720, 1024),
  8192: steps(16_384, 61_440, 4096),
  16384: steps(32_768, 122_880, 8192),
}

/** Returns why Fargate does not offer the size, as a field path with the expected values, or undefined if it does. */
export function sizeFault({ cpuUnits, memoryMiB }: ExecutionSize): string | undefined {
  const memories = sizes[cpuUnits]
  if (!memories) return `.cpuUnits: expected one of ${Object.keys(sizes).join(', ')}`
  if (memories.includes(memoryMiB)) return undefined
  const [least, next = 0] = memories
  const step = memories.length > 3 ? `, in steps of ${next - (least ?? 0)}` : ''
  return `.memoryMiB: with ${cpuUnits} CPU units expected ${least} to ${memories.at(-1)}${step}`
}
