import {
  type AutoScalingClient,
  type AutoScalingGroup,
  DescribeAutoScalingGroupsCommand,
} from '@aws-sdk/client-auto-scaling'
import type { Member } from '../../facts/ec2.ts'
import type { ObservedTasks, RunningUnit } from '../../facts/running.ts'
import { CloudPermanentError, callCloud } from '../cloud-call.ts'

type Group = { arn: string; accountNumber: string; members: Omit<Member, 'isReachable'>[] }

/** Reads an Auto Scaling group with the instances that are in service or starting. */
export async function readGroup(autoScaling: AutoScalingClient, name: string): Promise<Group> {
  const group = await findGroup(autoScaling, name)
  const members = (group.Instances ?? []).flatMap(({ InstanceId, LifecycleState = '' }) => {
    const isServing = LifecycleState === 'InService'
    // Includes `Pending:Wait` and `Pending:Proceed`. `Standby` instances return to service without a launch.
    return InstanceId && (isServing || LifecycleState.startsWith('Pending'))
      ? [{ instanceId: InstanceId, isServing }]
      : []
  })
  const arn = group.AutoScalingGroupARN ?? ''
  return { arn, accountNumber: arn.split(':').at(4) ?? '', members }
}

/** Reads an Auto Scaling group. */
export async function findGroup(autoScaling: AutoScalingClient, name: string): Promise<AutoScalingGroup> {
  const command = new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: [name] })
  const [group] = (await callCloud(() => autoScaling.send(command))).AutoScalingGroups ?? []
  if (group?.AutoScalingGroupARN) return group
  throw new CloudPermanentError('AutoScalingGroupNotFound', `There is no auto-scaling group ${name}.`)
}

/** Lists all instances of a group, in any lifecycle state. */
export async function readMachines(autoScaling: AutoScalingClient, name: string): Promise<ObservedTasks> {
  const { Instances = [] } = await findGroup(autoScaling, name)
  const all = Instances.map(({ InstanceId = '', LifecycleState = '', HealthStatus, AvailabilityZone }) => ({
    id: InstanceId,
    kind: 'MACHINE' as const,
    status: LifecycleState,
    hasLog: false,
    isStopped: /^(Terminat|Detach)/.test(LifecycleState),
    health: HealthStatus === undefined ? ('UNKNOWN' as const) : healthOf(HealthStatus),
    ...(AvailabilityZone !== undefined && { zone: AvailabilityZone }),
  }))
  return { all: all.toSorted((one, other) => Number(one.isStopped) - Number(other.isStopped)), isComplete: true }
}

const healthOf = (status: string): RunningUnit['health'] =>
  status.toLowerCase() === 'healthy' ? 'HEALTHY' : 'UNHEALTHY'
