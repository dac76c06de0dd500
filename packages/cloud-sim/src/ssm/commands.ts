import { randomUUID } from 'node:crypto'
import type {
  CancelCommandRequest,
  CommandFilter,
  Command as CommandShape,
  ListCommandsRequest,
  SendCommandRequest,
} from '@aws-sdk/client-ssm'
import { autoScaling, type Instance } from '../autoscaling/state.ts'
import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import { seconds, type Wire } from '../wire/json.ts'
import type { World } from '../world.ts'
import { cancelInvocations } from './command-run.ts'
import { checkParameters } from './document-content.ts'
import { findDocument } from './documents.ts'
import { page } from './pages.ts'
import { findCommand, invocationsOf, isOver } from './records.ts'
import { type Command, ssm } from './state.ts'
import { checkTargets } from './targets.ts'

const maxInstanceIds = 50
const wrong = (message: string) => new CloudError('ValidationException', message)

export function sendCommand(world: World, caller: Caller, input: SendCommandRequest) {
  const { InstanceIds: instanceIds = [], Targets: targets = [], Parameters: parameters = {}, Comment = '' } = input
  const { MaxConcurrency = '50', MaxErrors = '0', TimeoutSeconds = 3600 } = input
  const document = findDocument(world, caller, input.DocumentName)
  checkParameters(document, parameters)
  if (Comment.length > 100) throw wrong('Comment can have at most 100 characters.')
  if (!(TimeoutSeconds >= 30 && TimeoutSeconds <= 2_592_000)) throw wrong('TimeoutSeconds must be 30 to 2592000.')
  if (!/^([1-9][0-9]*|[1-9][0-9]?%|100%)$/.test(MaxConcurrency))
    throw wrong(`Invalid MaxConcurrency ${MaxConcurrency}.`)
  if (!/^([1-9][0-9]*|0|[1-9][0-9]?%|0%|100%)$/.test(MaxErrors)) throw wrong(`Invalid MaxErrors ${MaxErrors}.`)
  if (instanceIds.length > 0 === targets.length > 0) throw wrong('Give either InstanceIds or Targets.')
  if (instanceIds.length > maxInstanceIds) throw wrong(`InstanceIds can have at most ${maxInstanceIds} members.`)
  checkTargets(targets)
  checkInstances(world, caller, instanceIds)
  const command: Command = {
    key: randomUUID(),
    scope: caller.scope,
    documentName: document.name,
    steps: document.steps,
    parameters,
    comment: Comment,
    instanceIds,
    targets,
    maxConcurrency: MaxConcurrency,
    maxErrors: MaxErrors,
    timeoutSeconds: TimeoutSeconds,
    requestedAt: world.clock.timestamp(),
    status: 'Pending',
    statusDetails: 'Pending',
    window: 1,
    wakeAt: world.in(world.timing.listLagSeconds),
  }
  ssm(world).commands.save(command)
  return { Command: describe(world, command) }
}

function checkInstances(world: World, { scope }: Caller, ids: string[]): void {
  const isManaged = (instance: Instance | undefined) => instance?.scope === scope && instance.agent === 'Online'
  const bad = ids.filter((id) => !isManaged(autoScaling(world).instances.get(id)))
  if (bad.length === 0) return
  throw new CloudError('InvalidInstanceId', `Instances [[${bad.join(', ')}]] not in a valid state for account ${scope}`)
}

/** Lists commands, newest first. A new command appears after a moment. */
export function listCommands(world: World, caller: Caller, input: ListCommandsRequest) {
  const { CommandId, InstanceId, Filters = [] } = input
  if (CommandId !== undefined) findCommand(world, caller, CommandId)
  const listed = ssm(world)
    .commands.having('scope', caller.scope)
    .filter((command) => command.key === CommandId || isListed(world, command))
    .filter((command) => CommandId === undefined || command.key === CommandId)
    .filter(
      (command) =>
        InstanceId === undefined || invocationsOf(world, command).some((one) => one.instanceId === InstanceId),
    )
    .filter((command) => Filters.every((filter) => passes(command, filter)))
    .reverse()
  const { items, more } = page(listed, input)
  return { Commands: items.map((command) => describe(world, command)), ...more }
}

const isListed = (world: World, { requestedAt }: Command) =>
  world.clock.cloudMsIn(world.clock.timestamp() - requestedAt) >= world.timing.listLagSeconds * 1000

function passes({ requestedAt, status, documentName }: Command, { key, value = '' }: CommandFilter): boolean {
  switch (key) {
    case 'InvokedAfter':
      return requestedAt >= momentOf(value)
    case 'InvokedBefore':
      return requestedAt <= momentOf(value)
    case 'Status':
      return status === value
    case 'DocumentName':
      return documentName === value
    default:
      throw new CloudError('InvalidFilterKey', `The simulated cloud does not filter commands by ${key}.`)
  }
}

function momentOf(value: string): number {
  // SSM accepts no fractions of a second here.
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value))
    throw wrong(`${value} is not a moment such as 2026-01-31T00:00:00Z.`)
  return Date.parse(value)
}

export function cancelCommand(world: World, caller: Caller, input: CancelCommandRequest) {
  const command = findCommand(world, caller, input.CommandId)
  cancelInvocations(world, command, input.InstanceIds)
  return {}
}

function describe(world: World, command: Command): Wire<CommandShape> {
  const invocations = invocationsOf(world, command)
  return {
    CommandId: command.key,
    DocumentName: command.documentName,
    DocumentVersion: '$DEFAULT',
    Comment: command.comment,
    ExpiresAfter: seconds(command.requestedAt + command.timeoutSeconds * 1000),
    Parameters: command.parameters,
    InstanceIds: command.instanceIds,
    Targets: command.targets,
    RequestedDateTime: seconds(command.requestedAt),
    Status: command.status,
    StatusDetails: command.statusDetails,
    MaxConcurrency: command.maxConcurrency,
    MaxErrors: command.maxErrors,
    TargetCount: invocations.length,
    CompletedCount: invocations.filter(isOver).length,
    ErrorCount: invocations.filter(({ status }) => status === 'Failed' || status === 'TimedOut').length,
    DeliveryTimedOutCount: invocations.filter(({ statusDetails }) => statusDetails === 'DeliveryTimedOut').length,
    TimeoutSeconds: command.timeoutSeconds,
  }
}
