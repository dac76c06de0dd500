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
 * Whether steps run in an environment. A place in a cloud account is ready once tasks could be started there, and stays
 * so: its steps are never carried out elsewhere because something is in the way for a while.
 */
export const isReady = ({ kind, readyAt }: Pick<ExecutionEnvironmentRow, 'kind' | 'readyAt'>): boolean =>
  kind === 'runners' || readyAt !== null

/** What the installation must say so that tasks can be started in the cloud. */
export type RunnerTaskSettings = {
  /** The image of the runner. */
  runnerImage: string | undefined
  /** Where tasks reach the API. */
  runnerUrl: string | undefined
}

/** A place in a cloud account where tasks can be started, as far as that can be told without asking the cloud. */
export type CloudPlace = {
  cloudAccountId: string
  region: string
  network: ExecutionNetwork
  size: ExecutionSize
  clusterName: string
  image: string
  url: string
}

/** The place that an environment is, or in words what it lacks. */
export function placeOf(
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

/** What a kind needs or does not take, of all that makes an environment or of changes to one. */
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
