import type { CommandInvocationStatus, CommandStatus, ParameterType, Target } from '@aws-sdk/client-ssm'
import type { Scope } from '../arns.ts'
import type { Behaviour } from '../ecs/behaviour.ts'
import type { Row } from '../store.ts'
import type { ListTag } from '../tag-list.ts'
import { defineState } from '../world.ts'

export interface DocumentParameter {
  type: string
  default?: unknown
  description?: string
  allowedPattern?: string
  allowedValues?: string[]
}

/** Command document. Key: scope and name. */
export interface Document extends Row {
  scope: Scope
  name: string
  owner: string
  parameters: Record<string, DocumentParameter>
  schemaVersion: string
  /** Plugins of its steps; absent in schema 1.2, which has one. */
  steps?: string[]
  description?: string
  /** Content of each version as received; the first is version 1. */
  versions: string[]
  defaultVersion: number
  tags: ListTag[]
  createdAt: number
}

/** Parameter of SSM. Key: scope and name. */
export interface StoredParameter extends Row {
  scope: Scope
  name: string
  type: ParameterType
  value: string
  version: number
  tier: 'Standard' | 'Advanced'
  description?: string | undefined
  allowedPattern?: string | undefined
  tags: ListTag[]
  changedAt: number
}

/** Run of a document on several instances. Key: the command's id. */
export interface Command extends Row {
  scope: Scope
  documentName: string
  /** Steps of the document at that time. */
  steps?: string[] | undefined
  parameters: Record<string, string[]>
  comment: string
  instanceIds: string[]
  targets: Target[]
  maxConcurrency: string
  maxErrors: string
  /** Timeout for delivering the command to an instance, in seconds. */
  timeoutSeconds: number
  requestedAt: number
  status: CommandStatus
  statusDetails: string
  /** Current concurrency, which doubles up to the limit. */
  window: number
}

/** Simulated result of a script: by its text, or a missing Git credential. */
export type Outcome = Behaviour | 'no-access'

/** Result of a command on one instance. Key: command id and instance id. */
export interface Invocation extends Row {
  commandId: string
  instanceId: string
  status: CommandInvocationStatus
  statusDetails: string
  /** Whether it was sent to the instance. */
  isSent: boolean
  behaviour?: Outcome
  startedAt?: number
  endedAt?: number
  exitCode: number
  output: string
  errorOutput: string
}

/** Outcome of the commands of a deployment in an imported account. Key: their parameter `deployId`. */
export interface CommandOutcome extends Row {
  behaviour: Behaviour
}

/** Tables of the simulated Systems Manager. */
export const ssm = defineState((world) => ({
  documents: world.table<Document>('document', {}, { isEventual: true }),
  parameters: world.table<StoredParameter>('parameter', { scope: (row) => row.scope }),
  commands: world.table<Command>('command', { scope: (row) => row.scope }),
  outcomes: world.table<CommandOutcome>('command-outcome'),
  invocations: world.table<Invocation>('invocation', { command: (row) => row.commandId }),
}))
