import {
  defaultClusterName,
  defaultExecutionSize,
  type ExecutionEnvironmentKind,
  type ExecutionNetwork,
  type ExecutionSize,
  type UpdateExecutionEnvironment,
} from '@sluice/contract'
import { sizeFault } from '../facts/runner-tasks.ts'
import type { ExecutionEnvironmentRow } from './tables.ts'

/**
 * Reports whether steps run in an environment. A cloud environment becomes ready once tasks can start there and stays
 * ready, so that steps never move elsewhere because of a temporary problem.
 */
export const isReady = ({ kind, readyAt }: Pick<ExecutionEnvironmentRow, 'kind' | 'readyAt'>): boolean =>
  kind === 'runners' || readyAt !== null

/** Server settings that are required to start runner tasks in the cloud. */
export type RunnerTaskSettings = {
  runnerImage: string | undefined
  /** API address that tasks in the cloud use. */
  runnerUrl: string | undefined
}

/** Location and settings with which runner tasks can be started in a cloud account. */
export type CloudPlace = {
  cloudAccountId: string
  region: string
  network: ExecutionNetwork
  size: ExecutionSize
  clusterName: string
  image: string
  url: string
}

/** Returns the location for the environment's tasks, or a message that says what is missing. */
export function cloudPlaceOf(
  row: ExecutionEnvironmentRow,
  { runnerImage, runnerUrl }: RunnerTaskSettings,
): CloudPlace | { problem: string } {
  const { cloudAccountId, region, network } = row
  if (cloudAccountId === null || region === null) return { problem: 'It names no cloud account and region.' }
  if (!network) return { problem: 'It names no subnets to start tasks in: give it a network.' }
  if (runnerImage === undefined) {
    return { problem: 'The operator of this installation has named no image of the runner: SLUICE_RUNNER_IMAGE.' }
  }
  if (runnerUrl === undefined) return { problem: unreachable }
  const { size, clusterName } = withDefaults(row)
  const fault = sizeFault(size)
  if (fault !== undefined) return { problem: `Its size${fault}.` }
  return { cloudAccountId, region, network, size, clusterName, image: runnerImage, url: runnerUrl }
}

export const unreachable =
  'Tasks in the cloud would not reach this service. Its operator sets SLUICE_PUBLIC_URL to an address that they reach, or ' +
  'SLUICE_RUNNER_URL where theirs is another one.'

export const withDefaults = ({ size, clusterName }: Pick<ExecutionEnvironmentRow, 'size' | 'clusterName'>) => ({
  size: size ?? defaultExecutionSize,
  clusterName: clusterName ?? defaultClusterName,
})

/** Returns the fields that the environment's kind requires or does not accept, in a full resource or in changes. */
export function placeFaults(
  kind: ExecutionEnvironmentKind,
  given: UpdateExecutionEnvironment,
  what: 'all' | 'changes',
): string[] {
  if (kind === 'cloud') {
    const needed = what === 'all' ? (['cloudAccountId', 'region'] as const) : []
    const fault = given.size && sizeFault(given.size)
    return [
      ...needed
        .filter((field) => given[field] === undefined)
        .map((field) => `$.data.${field}: an execution environment of the kind cloud needs it`),
      ...(fault === undefined ? [] : [`$.data.size${fault}`]),
    ]
  }
  return (['cloudAccountId', 'region', 'network', 'size', 'clusterName'] as const)
    .filter((field) => given[field] !== undefined)
    .map((field) => `$.data.${field}: an execution environment of the kind runners does not take it`)
}
