import {
  type AutoScalingGroup,
  CreateAutoScalingGroupCommand,
  DescribeAutoScalingGroupsCommand,
} from '@aws-sdk/client-auto-scaling'
import {
  type CommandInvocation,
  CreateDocumentCommand,
  ListCommandInvocationsCommand,
  ListCommandsCommand,
  SendCommandCommand,
  type SendCommandCommandInput,
  type Command as Shape,
} from '@aws-sdk/client-ssm'
import { type TestCloud, until } from './cloud.ts'

const content = {
  schemaVersion: '2.2',
  parameters: { imageUri: { type: 'String' }, deployId: { type: 'String' } },
  mainSteps: [{ action: 'aws:runShellScript', name: 'deploy', inputs: { runCommand: ['deploy {{imageUri}}'] } }],
}

/** Creates a group `workers` of instances that accept commands, and its document. */
export async function createWorkers(cloud: TestCloud, size = 3): Promise<string[]> {
  await cloud.ssm.send(new CreateDocumentCommand({ Name: 'workers-deploy', Content: JSON.stringify(content) }))
  const about = { LaunchTemplate: { LaunchTemplateName: 'workers' }, MinSize: 0, MaxSize: 10, DesiredCapacity: size }
  await cloud.autoScaling.send(new CreateAutoScalingGroupCommand({ AutoScalingGroupName: 'workers', ...about }))
  await cloud.control.advance(60)
  return instanceIds(await describeWorkers(cloud))
}

export async function describeWorkers(cloud: TestCloud): Promise<AutoScalingGroup> {
  const command = new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: ['workers'] })
  const [group] = (await cloud.autoScaling.send(command)).AutoScalingGroups ?? []
  if (!group) throw new Error('There is no group workers.')
  return group
}

export const instanceIds = ({ Instances = [] }: AutoScalingGroup) => Instances.map(({ InstanceId = '' }) => InstanceId)

const group = { Key: 'tag:aws:autoscaling:groupName', Values: ['workers'] }

/** Releases an image to the instances of the group. Returns the command's id. */
export async function sendRelease(
  cloud: TestCloud,
  image: string,
  more: Partial<SendCommandCommandInput> = {},
): Promise<string> {
  const about = { DocumentName: 'workers-deploy', Parameters: { imageUri: [image], deployId: ['dep_1'] } }
  const { Command } = await cloud.ssm.send(new SendCommandCommand({ ...about, Targets: [group], ...more }))
  return Command?.CommandId ?? ''
}

export async function describeCommand(cloud: TestCloud, CommandId: string): Promise<Shape> {
  const [command] = (await cloud.ssm.send(new ListCommandsCommand({ CommandId }))).Commands ?? []
  if (!command) throw new Error(`There is no command ${CommandId}.`)
  return command
}

export async function invocationsOf(cloud: TestCloud, CommandId: string): Promise<CommandInvocation[]> {
  const command = new ListCommandInvocationsCommand({ CommandId, Details: true })
  return (await cloud.ssm.send(command)).CommandInvocations ?? []
}

export const waitForCommand = (cloud: TestCloud, id: string, limitSeconds = 600) =>
  until(
    cloud,
    () => describeCommand(cloud, id),
    ({ Status = '' }) => ['Success', 'Failed', 'Cancelled', 'TimedOut'].includes(Status),
    { stepSeconds: 5, limitSeconds },
  )
