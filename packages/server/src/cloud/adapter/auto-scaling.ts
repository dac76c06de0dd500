import { type AutoScalingClient, DescribeAutoScalingGroupsCommand } from '@aws-sdk/client-auto-scaling'
import type { Member } from '../facts/ec2.ts'
import { ask, CloudRefusal } from './answer.ts'

type Group = { arn: string; accountNumber: string; members: Omit<Member, 'isReachable'>[] }

/** A group and its instances: those in service and those that will be. */
export async function readGroup(autoScaling: AutoScalingClient, name: string): Promise<Group> {
  const command = new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: [name] })
  const { AutoScalingGroups } = await ask(() => autoScaling.send(command))
  const [group] = AutoScalingGroups ?? []
  if (!group?.AutoScalingGroupARN) {
    throw new CloudRefusal('AutoScalingGroupNotFound', `There is no auto-scaling group ${name}.`)
  }
  const members = (group.Instances ?? []).flatMap(({ InstanceId, LifecycleState = '' }) => {
    const isServing = LifecycleState === 'InService'
    // `Pending:Wait` and `Pending:Proceed` are pending too; `Standby` comes back without being launched.
    return InstanceId && (isServing || LifecycleState.startsWith('Pending'))
      ? [{ instanceId: InstanceId, isServing }]
      : []
  })
  const arn = group.AutoScalingGroupARN
  return { arn, accountNumber: arn.split(':').at(4) ?? '', members }
}
