import {
  CancelCommandCommand,
  type CommandInvocation,
  type CommandPlugin,
  DeleteParameterCommand,
  DescribeInstanceInformationCommand,
  GetCommandInvocationCommand,
  GetParameterCommand,
  ListCommandInvocationsCommand,
  ListCommandsCommand,
  PutParameterCommand,
  SendCommandCommand,
  type SSMClient,
} from '@aws-sdk/client-ssm'
import { GroupRelease, type InstanceReleaseStatus } from '@sluice/contract'
import { Compile } from 'typebox/compile'
import { present } from '../../../platform/present.ts'
import type { CommandSnapshot, InstanceReading } from '../../facts/ec2.ts'
import { clockSkewMs } from '../clock-skew.ts'
import { CloudPermanentError, CloudTransientError, callCloud } from '../cloud-call.ts'

/** Maximum number of instance ids in a filter. */
const maxIds = 50

/** Returns the instances whose SSM agents are online. */
export async function readAgents(ssm: SSMClient, instanceIds: string[]): Promise<Set<string>> {
  const reachable = new Set<string>()
  for (let from = 0; from < instanceIds.length; from += maxIds) {
    const Filters = [
      { Key: 'InstanceIds', Values: instanceIds.slice(from, from + maxIds) },
      { Key: 'PingStatus', Values: ['Online'] },
    ]
    let NextToken: string | undefined
    do {
      const command = new DescribeInstanceInformationCommand({
        Filters,
        MaxResults: maxIds,
        ...present({ NextToken }),
      })
      const answer = await callCloud(() => ssm.send(command))
      for (const { InstanceId } of answer.InstanceInformationList ?? []) if (InstanceId) reachable.add(InstanceId)
      NextToken = answer.NextToken
    } while (NextToken)
  }
  return reachable
}

export type CommandRequest = {
  documentName: string
  comment: string
  instanceIds: string[]
  parameters: Record<string, string[]>
  concurrencyMax: number
  errorsMax: number
}

/** Seconds after which the cloud gives up delivering a command to an instance. */
const deliverySeconds = 600

/** Sends a document to instances and returns the id of the remote command. */
export async function sendCommand(ssm: SSMClient, request: CommandRequest): Promise<string> {
  const command = new SendCommandCommand({
    DocumentName: request.documentName,
    Comment: request.comment,
    // Unlike `InstanceIds`, `Targets` tolerates instances that have been terminated since they were listed.
    Targets: [{ Key: 'InstanceIds', Values: request.instanceIds }],
    Parameters: request.parameters,
    MaxConcurrency: String(request.concurrencyMax),
    MaxErrors: String(request.errorsMax),
    TimeoutSeconds: deliverySeconds,
  })
  const { Command } = await callCloud(() => ssm.send(command))
  if (!Command?.CommandId) throw new CloudTransientError('The cloud answered SendCommand without a command.')
  return Command.CommandId
}

/** Returns the command that an earlier attempt sent, if any. */
export async function findCommand(
  ssm: SSMClient,
  documentName: string,
  comment: string,
  since: Date,
): Promise<string | undefined> {
  const after = new Date(since.getTime() - clockSkewMs).toISOString().replace(/\.\d+Z$/, 'Z')
  const Filters = [
    { key: 'DocumentName' as const, value: documentName },
    { key: 'InvokedAfter' as const, value: after },
  ]
  let NextToken: string | undefined
  do {
    const answer = await callCloud(() => ssm.send(new ListCommandsCommand({ Filters, ...present({ NextToken }) })))
    const ours = answer.Commands?.find(({ Comment }) => Comment === comment)
    if (ours?.CommandId) return ours.CommandId
    NextToken = answer.NextToken
  } while (NextToken)
  return undefined
}

/** Cancels a command, on all or some instances, as far as the cloud can. */
export async function cancelCommand(ssm: SSMClient, CommandId: string, InstanceIds?: string[]): Promise<void> {
  await callCloud(() => ssm.send(new CancelCommandCommand({ CommandId, ...present({ InstanceIds }) })))
}

const finalStatuses = ['Success', 'Cancelled', 'Failed', 'TimedOut']

/** Reads a command and its result on every instance, with the output of those that failed. */
export async function readCommand(ssm: SSMClient, commandId: string): Promise<CommandSnapshot> {
  const { Commands } = await callCloud(() => ssm.send(new ListCommandsCommand({ CommandId: commandId })))
  const status = Commands?.[0]?.Status
  if (!status) throw new CloudTransientError(`The cloud does not show the command ${commandId} yet.`)
  // Invocations are read after the status, so that a finished command comes with its final results.
  const invocations = await listInvocations(ssm, commandId)
  const isOver = finalStatuses.includes(status)
  const readings = invocations.map(readingOf)
  if (!isOver) return { commandId, status, isOver, readings }
  return { commandId, status, isOver, readings: await withOutput(ssm, readings, invocations) }
}

async function listInvocations(ssm: SSMClient, CommandId: string): Promise<CommandInvocation[]> {
  const found: CommandInvocation[] = []
  let NextToken: string | undefined
  do {
    const command = new ListCommandInvocationsCommand({ CommandId, Details: true, ...present({ NextToken }) })
    const answer = await callCloud(() => ssm.send(command))
    found.push(...(answer.CommandInvocations ?? []))
    NextToken = answer.NextToken
  } while (NextToken)
  return found
}

/** Status details of commands that never ran on the instance, whatever their status says. */
const neverRan = ['DeliveryTimedOut', 'Undeliverable', 'InvalidPlatform', 'AccessDenied']

const statuses: Record<string, InstanceReleaseStatus> = {
  Pending: 'PENDING',
  Delayed: 'PENDING',
  InProgress: 'IN_PROGRESS',
  Success: 'SUCCESS',
  Failed: 'FAILED',
  TimedOut: 'TIMED_OUT',
  Cancelled: 'CANCELLED',
}

/** Reports whether a step of the document failed. Later steps may be skipped or may still run. */
const hasFailed = ({ Status }: CommandPlugin): boolean => Status === 'Failed' || Status === 'TimedOut'

function readingOf(invocation: CommandInvocation): InstanceReading {
  const { InstanceId = '', CommandId, StatusDetails, CommandPlugins } = invocation
  const Status: string = invocation.Status ?? ''
  const plugin = CommandPlugins?.find(hasFailed) ?? CommandPlugins?.at(-1)
  const startedAt = CommandPlugins?.[0]?.ResponseStartDateTime?.toISOString()
  // Cancelling, or a status that Sluice does not know.
  const known = statuses[Status] ?? (startedAt === undefined ? 'PENDING' : 'IN_PROGRESS')
  const isOver = finalStatuses.includes(Status)
  return present({
    instanceId: InstanceId,
    commandId: CommandId,
    // The cloud writes some of these with spaces: "Delivery Timed Out".
    status: neverRan.includes((StatusDetails ?? '').replaceAll(' ', '')) ? ('UNREACHABLE' as const) : known,
    statusDetails: StatusDetails,
    startedAt,
    completedAt: isOver ? plugin?.ResponseFinishDateTime?.toISOString() : undefined,
    exitCode: isOver && startedAt !== undefined ? plugin?.ResponseCode : undefined,
  })
}

/** Maximum number of failed instances whose output is read. */
const maxOutputsRead = 10
/** Maximum length of an instance's output, in characters; the end is kept because it contains the error. */
const outputTail = 2_000

async function withOutput(
  ssm: SSMClient,
  readings: InstanceReading[],
  invocations: CommandInvocation[],
): Promise<InstanceReading[]> {
  const failed = readings.filter(({ status }) => status === 'FAILED' || status === 'TIMED_OUT').slice(0, maxOutputsRead)
  const stepsOf = ({ instanceId }: InstanceReading) =>
    invocations.find(({ InstanceId }) => InstanceId === instanceId)?.CommandPlugins ?? []
  const outputs = await Promise.all(failed.map((reading) => outputOf(ssm, reading, stepsOf(reading))))
  return readings.map((reading) => {
    const output = outputs[failed.indexOf(reading)]
    return output ? { ...reading, output } : reading
  })
}

/** Returns the output of the document's steps up to the first that failed. */
async function outputOf(ssm: SSMClient, reading: InstanceReading, steps: CommandPlugin[]): Promise<string | undefined> {
  const failing = steps.findIndex(hasFailed)
  const shownSteps = failing < 0 ? steps : steps.slice(0, failing + 1)
  const outputs = await Promise.all(shownSteps.map((step) => outputOfStep(ssm, reading, step)))
  const lines = outputs.flatMap((output, index) => {
    if (!output) return []
    return shownSteps.length > 1 ? [`${shownSteps[index]?.Name}:`, output] : [output]
  })
  return lines.join('\n').slice(-outputTail)
}

/**
 * Returns a step's output, or undefined if it cannot be read. In a document with several steps the cloud needs the
 * step's name.
 */
async function outputOfStep(
  ssm: SSMClient,
  { commandId, instanceId }: InstanceReading,
  { Name: PluginName }: CommandPlugin,
): Promise<string | undefined> {
  try {
    const which = { CommandId: commandId, InstanceId: instanceId, ...present({ PluginName }) }
    const command = new GetCommandInvocationCommand(which)
    const { StandardOutputContent = '', StandardErrorContent = '' } = await callCloud(() => ssm.send(command))
    return [StandardOutputContent, StandardErrorContent].join('\n').trim()
  } catch {
    return undefined
  }
}

const releaseReader = Compile(GroupRelease)

/** Reads the release recorded for instances that start later, or undefined if the parameter holds none. */
export async function readGroupRelease(ssm: SSMClient, name: string): Promise<GroupRelease | undefined> {
  try {
    const { Parameter } = await callCloud(() => ssm.send(new GetParameterCommand({ Name: name })))
    const value: unknown = JSON.parse(Parameter?.Value ?? '')
    return releaseReader.Check(value) ? value : undefined
  } catch (error) {
    const isMissing = error instanceof CloudPermanentError && error.reason === 'ParameterNotFound'
    if (isMissing || error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Stores a value as a SecureString, encrypted with the account's default key. */
export async function writeSecret(ssm: SSMClient, name: string, value: string): Promise<void> {
  const command = new PutParameterCommand({ Name: name, Value: value, Type: 'SecureString', Overwrite: true })
  await callCloud(() => ssm.send(command), 'PutParameter')
}

/** Deletes a parameter. A missing parameter counts as deleted. */
export async function removeParameter(ssm: SSMClient, name: string): Promise<void> {
  try {
    await callCloud(() => ssm.send(new DeleteParameterCommand({ Name: name })))
  } catch (error) {
    if (!(error instanceof CloudPermanentError && error.reason === 'ParameterNotFound')) throw error
  }
}

/** Records a release for instances that start later. */
export async function writeGroupRelease(ssm: SSMClient, name: string, release: GroupRelease): Promise<void> {
  const value = JSON.stringify(release)
  // Scripts over 4 KB need an advanced parameter; this tier chooses it automatically.
  const about = { Type: 'String', Tier: 'Intelligent-Tiering', Overwrite: true } as const
  await callCloud(() => ssm.send(new PutParameterCommand({ Name: name, Value: value, ...about })), 'PutParameter')
}
