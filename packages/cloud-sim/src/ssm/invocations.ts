import type { CommandInvocation, GetCommandInvocationRequest, ListCommandInvocationsRequest } from '@aws-sdk/client-ssm'
import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import { seconds, type Wire } from '../wire/json.ts'
import type { World } from '../world.ts'
import { page } from './pages.ts'
import { findCommand, invocationsOf } from './records.ts'
import { type Command, type Invocation, ssm } from './state.ts'

export function listCommandInvocations(world: World, caller: Caller, input: ListCommandInvocationsRequest) {
  const { CommandId, InstanceId, Details = false } = input
  const commands = CommandId
    ? [findCommand(world, caller, CommandId)]
    : ssm(world).commands.having('scope', caller.scope).reverse()
  const found = commands.flatMap((command) =>
    invocationsOf(world, command)
      .filter(({ instanceId }) => InstanceId === undefined || instanceId === InstanceId)
      .map((invocation) => describe(command, invocation, Details)),
  )
  const { items, more } = page(found, input)
  return { CommandInvocations: items, ...more }
}

const maxOutput = 24_000
const maxErrorOutput = 8_000
/** Maximum output length in a list. */
const maxListedOutput = 2_500

export function getCommandInvocation(world: World, caller: Caller, input: GetCommandInvocationRequest) {
  const command = findCommand(world, caller, input.CommandId)
  const invocation = invocationsOf(world, command).find(({ instanceId }) => instanceId === input.InstanceId)
  if (!invocation) throw new CloudError('InvocationDoesNotExist', '')
  const plugins = pluginsOf(command, invocation)
  const { PluginName: name = plugins.length === 1 ? plugins[0]?.name : undefined } = input
  const plugin = plugins.find((one) => one.name === name)
  if (!plugin) throw new CloudError('InvalidPluginName', 'The plugin name is not valid.')
  return {
    CommandId: command.key,
    InstanceId: invocation.instanceId,
    Comment: command.comment,
    DocumentName: command.documentName,
    DocumentVersion: '$DEFAULT',
    PluginName: plugin.name,
    ResponseCode: plugin.exitCode,
    ExecutionStartDateTime: timestampText(invocation.startedAt),
    ExecutionElapsedTime: elapsed(invocation),
    ExecutionEndDateTime: timestampText(invocation.endedAt),
    Status: plugin.status,
    StatusDetails: plugin.statusDetails,
    StandardOutputContent: plugin.output.slice(0, maxOutput),
    StandardErrorContent: plugin.errorOutput.slice(0, maxErrorOutput),
  }
}

type Plugin = Pick<Invocation, 'status' | 'statusDetails' | 'exitCode' | 'output' | 'errorOutput'> & { name: string }

/**
 * Returns the plugins of a command's steps. The last step has the command's result; earlier ones succeed without output
 * once the instance has started.
 */
function pluginsOf({ steps = ['aws:runShellScript'] }: Command, invocation: Invocation): Plugin[] {
  const isBegun = invocation.startedAt !== undefined
  const before = isBegun ? ('Success' as const) : invocation.status
  const details = isBegun ? 'Success' : invocation.statusDetails
  return steps.map((name, index) =>
    index + 1 === steps.length
      ? { ...invocation, name }
      : { name, status: before, statusDetails: details, exitCode: isBegun ? 0 : -1, output: '', errorOutput: '' },
  )
}

const timestampText = (timestamp: number | undefined) =>
  timestamp === undefined ? '' : new Date(timestamp).toISOString()
const elapsed = ({ startedAt, endedAt }: Invocation) =>
  startedAt === undefined || endedAt === undefined ? '' : `PT${(endedAt - startedAt) / 1000}S`

function describe(command: Command, invocation: Invocation, withDetails: boolean): Wire<CommandInvocation> {
  const { instanceId, status, statusDetails } = invocation
  return {
    CommandId: command.key,
    InstanceId: instanceId,
    InstanceName: '',
    Comment: command.comment,
    DocumentName: command.documentName,
    DocumentVersion: '$DEFAULT',
    RequestedDateTime: seconds(command.requestedAt),
    Status: status,
    StatusDetails: statusDetails,
    CommandPlugins: withDetails ? pluginsOf(command, invocation).map((one) => describePlugin(one, invocation)) : [],
  }
}

function describePlugin({ name, status, statusDetails, exitCode, output, errorOutput }: Plugin, times: Invocation) {
  const { startedAt, endedAt } = times
  return {
    Name: name,
    Status: status === 'Cancelling' || status === 'Delayed' ? ('InProgress' as const) : status,
    StatusDetails: statusDetails,
    ResponseCode: exitCode,
    ...(startedAt === undefined ? {} : { ResponseStartDateTime: seconds(startedAt) }),
    ...(endedAt === undefined ? {} : { ResponseFinishDateTime: seconds(endedAt) }),
    Output: [output, errorOutput && `----------ERROR-------\n${errorOutput}`].join('\n').slice(0, maxListedOutput),
  }
}
