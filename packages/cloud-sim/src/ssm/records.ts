import type { CommandInvocationStatus, CommandStatus, Target } from '@aws-sdk/client-ssm'
import type { Scope } from '../arns.ts'
import type { Caller } from '../callers.ts'
import type { Behaviour } from '../ecs/images.ts'
import { CloudError } from '../errors.ts'
import type { Row } from '../store.ts'
import type { World } from '../world.ts'

/** Key: the command's id. One run of a document on a number of instances. */
export interface Command extends Row {
  scope: Scope
  documentName: string
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

export function findCommand(world: World, caller: Caller, id = ''): Command {
  const command = world.commands.get(id)
  if (command?.scope !== caller.scope) throw new CloudError('InvalidCommandId', `The command ${id} does not exist.`)
  return command
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

const final: CommandInvocationStatus[] = ['Success', 'Cancelled', 'Failed', 'TimedOut']
export const isOver = ({ status }: Invocation) => final.includes(status)

export const invocationsOf = (world: World, { key }: Pick<Command, 'key'>) => world.invocations.having('command', key)
