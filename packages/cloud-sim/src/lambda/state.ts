import type { FunctionConfiguration } from '@aws-sdk/client-lambda'
import type { Scope } from '../arns.ts'
import type { Row } from '../store.ts'
import { defineState } from '../world.ts'

/** Metadata of a function's code. The simulated cloud does not run the code. */
export interface Code {
  sha256: string
  size: number
  imageUri?: string
  resolvedImageUri?: string
  /** Simulated behaviour, derived from its name. */
  behaviour: 'sound' | 'missing' | 'broken' | 'slow' | 'hang' | 'inactive'
}

/** Lambda function. Key: its ARN without qualifier. */
export interface LambdaFunction extends Row {
  scope: Scope
  name: string
  /** Number of the newest version. Numbers are never reused. */
  newestVersion: number
  createdAt: number
  reservedConcurrency?: number | undefined
  tags: Record<string, string>
}

/** Function settings as requested. */
export type Settings = Omit<FunctionConfiguration, 'VpcConfig' | 'Layers' | 'FunctionArn' | 'RevisionId'> & {
  VpcConfig?: { SubnetIds?: string[]; SecurityGroupIds?: string[]; Ipv6AllowedForDualStack?: boolean }
  ImageConfig?: object
  Layers?: string[]
}

/** Key: the function ARN, `:` and the version: `$LATEST` or a number. Published versions change only their state. */
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
  /** Number of provisioned instances. */
  provisioned?: number | undefined
}

/** Lambda alias. Key: its ARN. */
export interface Alias extends Row {
  functionArn: string
  name: string
  version: string
  /** Traffic share, from 0 to 1, of at most one other version. */
  weights: Record<string, number>
  /** Earlier routings with their end timestamps, oldest first, from which metrics are derived. */
  before?: { until: number; version: string; weights: Record<string, number> }[] | undefined
  description: string
  revisionId: string
  /** Number of provisioned instances. */
  provisioned?: number | undefined
  /** Previous version to which calls go until new provisioned instances are ready, at `wakeAt`. */
  movesFrom?: string | undefined
}

/** Code of an imported account. Key: its address, of an image or `s3://BUCKET/KEY`. */
export interface ImportedCodeRow extends Row {
  code: Code
  /** Error with which it is rejected. */
  rejection?: { name: string; message: string } | undefined
}

/** Tables of the simulated Lambda. */
export const lambda = defineState((world) => ({
  functions: world.table<LambdaFunction>('function'),
  versions: world.table<FunctionVersion>(
    'function-version',
    { function: (row) => row.functionArn },
    { isEventual: true },
  ),
  aliases: world.table<Alias>('function-alias', { function: (row) => row.functionArn }, { isEventual: true }),
  importedCode: world.table<ImportedCodeRow>('imported-function-code'),
}))
