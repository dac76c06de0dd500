import type { CommandInvocationStatus, CommandStatus, ParameterType, Target } from '@aws-sdk/client-ssm'
import type { Scope } from '../arns.ts'
import type { Behaviour } from '../ecs/behaviour.ts'
import type { Row } from '../store.ts'
import type { ListTag } from '../tag-list.ts'
import { state } from '../world.ts'

export interface DocumentParameter {
  type: string
  default?: unknown
  description?: string
  allowedPattern?: string
  allowedValues?: string[]
}

/** Key: scope and name. What commands run. */
export interface Document extends Row {
  scope: Scope
  name: string
  owner: string
  parameters: Record<string, DocumentParameter>
  schemaVersion: string
  /** The names of its steps; absent in schema 1.2, where there is one plugin. */
  steps?: string[]
  description?: string
  /** As it was given, each version in its place: the first is version 1. */
  versions: string[]
  defaultVersion: number
  tags: ListTag[]
  createdAt: number
}

/** Key: scope and name. */
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

/** Key: the command's id. One run of a document on a number of instances. */
export interface Command extends Row {
  scope: Scope
  documentName: string
  /** Of the document at that time. */
  steps?: string[] | undefined
  parameters: Record<string, string[]>
  comment: string
  instanceIds: string[]
  targets: Target[]
  maxConcurrency: string
  maxErrors: string
  /** For its delivery to an instance. */
  timeoutSeconds: number
  requestedAt: number
  status: CommandStatus
  statusDetails: string
  /** How many instances are sent to at a time, so far: it is doubled up to the limit. */
  window: number
}

/** What becomes of a script: as its text says, or it cannot read the credential that it needs. */
export type Outcome = Behaviour | 'no-access'

/** Key: command id and instance id. What became of a command on one instance. */
export interface Invocation extends Row {
  commandId: string
  instanceId: string
  status: CommandInvocationStatus
  statusDetails: string
  /** It was sent to the instance; before, it waits for its turn. */
  isSent: boolean
  behaviour?: Outcome
  startedAt?: number
  endedAt?: number
  exitCode: number
  output: string
  errorOutput: string
}

/** What systems management keeps. */
export const ssm = state((world) => ({
  documents: world.table<Document>('document', {}, { isEventual: true }),
  parameters: world.table<StoredParameter>('parameter', { scope: (row) => row.scope }),
  commands: world.table<Command>('command', { scope: (row) => row.scope }),
  invocations: world.table<Invocation>('invocation', { command: (row) => row.commandId }),
}))
