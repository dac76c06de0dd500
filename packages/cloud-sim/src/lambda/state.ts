import type { FunctionConfiguration } from '@aws-sdk/client-lambda'
import type { Scope } from '../arns.ts'
import type { Row } from '../store.ts'
import { state } from '../world.ts'

/** What is known of a function's code. It is never run. */
export interface Code {
  sha256: string
  size: number
  imageUri?: string
  resolvedImageUri?: string
  /** What becomes of it, as its name ordered. */
  behaviour: 'sound' | 'missing' | 'broken' | 'slow' | 'hang' | 'inactive'
}

/** Key: the function ARN, without a version or an alias. */
export interface LambdaFunction extends Row {
  scope: Scope
  name: string
  /** The number of the newest version; numbers are never used again. */
  newestVersion: number
  createdAt: number
  reservedConcurrency?: number | undefined
  tags: Record<string, string>
}

/** What a person can set, as it was set. */
export type Settings = Omit<FunctionConfiguration, 'VpcConfig' | 'Layers' | 'FunctionArn' | 'RevisionId'> & {
  VpcConfig?: { SubnetIds?: string[]; SecurityGroupIds?: string[]; Ipv6AllowedForDualStack?: boolean }
  ImageConfig?: object
  Layers?: string[]
}

/**
 * Key: the function ARN, `:` and the version: `$LATEST` or a number. A published one never changes but in its state.
 */
export interface FunctionVersion extends Row {
  functionArn: string
  version: string
  packageType: 'Zip' | 'Image'
  architectures: string[]
  settings: Settings
  code: Code
  state: 'Pending' | 'Active' | 'Failed'
  lastUpdate: 'InProgress' | 'Successful' | 'Failed'
  lastModified: number
  revisionId: string
  /** Instances that are kept ready. */
  provisioned?: number | undefined
}

/** Key: the alias ARN. */
export interface Alias extends Row {
  functionArn: string
  name: string
  version: string
  /** The share of traffic, from 0 to 1, of at most one other version. */
  weights: Record<string, number>
  /** How calls were shared before, oldest first: each until a timestamp. Metrics of that time are told by it. */
  before?: { until: number; version: string; weights: Record<string, number> }[] | undefined
  description: string
  revisionId: string
  /** Instances that are kept ready. */
  provisioned?: number | undefined
  /** With instances that are kept ready: calls go to the version before until those of the new one are ready. */
  moving?: { from: string; until: number } | undefined
}

/** What the function service keeps. */
export const lambda = state((world) => ({
  functions: world.table<LambdaFunction>('function'),
  versions: world.table<FunctionVersion>(
    'function-version',
    { function: (row) => row.functionArn },
    { isEventual: true },
  ),
  aliases: world.table<Alias>('function-alias', { function: (row) => row.functionArn }, { isEventual: true }),
}))
