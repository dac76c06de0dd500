import { arnIn, regionAndAccountOf } from '../arns.ts'
import { descriptionOf } from '../autoscaling/activities.ts'
import type { Activity, Instance } from '../autoscaling/state.ts'
import type { Command, Invocation } from '../ssm/state.ts'
import type { World } from '../world.ts'
import { publish } from './publish.ts'

const iso = (timestamp: number) => new Date(timestamp).toISOString()

const instanceArn = (scope: string, instanceId: string) => arnIn(scope, 'ec2', `instance/${instanceId}`)

/** Publishes an event in the format of the "Amazon EC2 Auto Scaling event reference". */
export function publishScaling(world: World, { scope, key: instanceId }: Instance, activity: Activity): void {
  publish(world, scope, {
    source: 'aws.autoscaling',
    detailType: `EC2 Instance ${activity.kind === 'Launching' ? 'Launch' : 'Terminate'} Successful`,
    resources: [activity.groupArn, instanceArn(scope, instanceId)],
    detail: {
      StatusCode: 'InProgress',
      Description: descriptionOf(activity),
      AutoScalingGroupName: activity.groupName,
      ActivityId: activity.key,
      Details: { 'Availability Zone': `${regionAndAccountOf(scope).region}a`, 'Subnet ID': 'subnet-1' },
      RequestId: activity.key,
      StatusMessage: '',
      StartTime: iso(activity.startedAt),
      EndTime: iso(activity.endedAt ?? activity.startedAt),
      EC2InstanceId: instanceId,
      Cause: activity.cause,
      Origin: activity.kind === 'Launching' ? 'EC2' : 'AutoScalingGroup',
      Destination: activity.kind === 'Launching' ? 'AutoScalingGroup' : 'EC2',
    },
  })
}

// Format of "Amazon EventBridge event examples for Systems Manager", whose times have no seconds.
const minute = (timestamp: number) => `${iso(timestamp).slice(0, 16)}Z`

export function publishCommand(world: World, command: Command, instanceIds: string[]): void {
  publish(world, command.scope, {
    source: 'aws.ssm',
    detailType: 'EC2 Command Status-change Notification',
    resources: instanceIds.map((id) => instanceArn(command.scope, id)),
    detail: {
      'command-id': command.key,
      'document-name': command.documentName,
      'expire-after': minute(command.requestedAt + command.timeoutSeconds * 1000),
      parameters: command.parameters,
      'requested-date-time': minute(command.requestedAt),
      status: command.status,
    },
  })
}

export function publishInvocation(world: World, command: Command, { instanceId, status }: Invocation): void {
  publish(world, command.scope, {
    source: 'aws.ssm',
    detailType: 'EC2 Command Invocation Status-change Notification',
    resources: [instanceArn(command.scope, instanceId)],
    detail: {
      'command-id': command.key,
      'document-name': command.documentName,
      'instance-id': instanceId,
      'requested-date-time': minute(command.requestedAt),
      status,
    },
  })
}
