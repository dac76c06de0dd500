import type { ExecutionNetwork, ExecutionSize } from '@sluice/contract'

/** Where the tasks of runners are started, by the role that leads into the account. */
export type RunnerPlace = { roleArn: string; region: string; clusterName: string }

/** All that tasks of one kind have in common. */
export type RunnerKind = { place: RunnerPlace; environmentId: string; image: string; size: ExecutionSize }

/** A task that carries out one attempt of a step. */
export type RunnerTaskRequest = {
  clusterName: string
  taskDefinitionArn: string
  network: ExecutionNetwork
  /** By which the task is found again; sent twice, it starts one task. */
  name: string
  /** What only this task is told. */
  env: Record<string, string>
}

/** The container that is the runner. */
export const runnerContainer = 'runner'
const streamPrefix = 'sluice'

/** What the templates of the documentation call what they make, by the name of the cluster. */
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

/** What the names of the streams begin with that a task writes to. */
export const logStreamPrefixOf = (taskArn: string): string =>
  `${streamPrefix}/${runnerContainer}/${taskArn.split('/').at(-1)}`

const steps = (from: number, to: number, step: number) =>
  Array.from({ length: (to - from) / step + 1 }, (_, index) => from + index * step)

/** MiB of memory that each number of CPU units may have ("Task CPU and memory", developer guide, read 2026-11). */
const sizes: Record<number, number[]> = {
  256: [512, 1024, 2048],
  512: steps(1024, 4096, 1024),
  1024: steps(2048, 8192, 1024),
  2048: steps(4096, 16_384, 1024),
  4096: steps(8192, 30_720, 1024),
  8192: steps(16_384, 61_440, 4096),
  16384: steps(32_768, 122_880, 8192),
}

/** Why the cloud has no tasks of this size, as the end of a path; undefined where it has. */
export function sizeFault({ cpuUnits, memoryMiB }: ExecutionSize): string | undefined {
  const memories = sizes[cpuUnits]
  if (!memories) return `.cpuUnits: expected one of ${Object.keys(sizes).join(', ')}`
  if (memories.includes(memoryMiB)) return undefined
  const [least, next = 0] = memories
  const step = memories.length > 3 ? `, in steps of ${next - (least ?? 0)}` : ''
  return `.memoryMiB: with ${cpuUnits} CPU units expected ${least} to ${memories.at(-1)}${step}`
}
