import type { CommandInvocationStatus } from '@aws-sdk/client-ssm'
import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import type { World } from '../world.ts'
import { type Command, type Invocation, ssm } from './state.ts'

export function findCommand(world: World, caller: Caller, id = ''): Command {
  const command = ssm(world).commands.get(id)
  if (command?.scope !== caller.scope) throw new CloudError('InvalidCommandId', `The command ${id} does not exist.`)
  return command
}

const final: CommandInvocationStatus[] = ['Success', 'Cancelled', 'Failed', 'TimedOut']
export const isOver = ({ status }: Invocation) => final.includes(status)

export const invocationsOf = (world: World, { key }: Pick<Command, 'key'>) =>
  ssm(world).invocations.having('command', key)
