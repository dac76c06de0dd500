import { ListCommandInvocationsCommand, ListCommandsCommand, type SSMClient } from '@aws-sdk/client-ssm'
import { present } from '../../../platform/present.ts'
import type { Ec2Twin } from '../../facts/twin.ts'
import type { CloudClients } from '../access.ts'
import { callCloud } from '../cloud-call.ts'
import { readAgents, readGroupRelease } from '../machines/commands.ts'
import { findGroup } from '../machines/groups.ts'
import { plain, readOrAssume } from './reading.ts'

/** Release to a group of instances to simulate. */
export type GroupTwinRequest = {
  region: string
  autoScalingGroupName: string
  documentName: string
  releaseParameterName: string
}

/** Copies an Auto Scaling group and what its instances install, for the simulation. Makes only read calls. */
export async function readEc2Twin(
  { autoScaling, ssm }: Pick<CloudClients, 'autoScaling' | 'ssm'>,
  { region, autoScalingGroupName, documentName, releaseParameterName }: GroupTwinRequest,
  now: Date,
): Promise<Ec2Twin> {
  const assumptions: string[] = []
  const readOr = readOrAssume(assumptions)
  const group = await findGroup(autoScaling, autoScalingGroupName)
  const ids = (group.Instances ?? []).flatMap(({ InstanceId }) => InstanceId ?? [])
  const [reachable, currentRelease, installSeconds] = await Promise.all([
    readAgents(ssm, ids),
    readGroupRelease(ssm, releaseParameterName),
    readOr('The duration of the latest release', undefined, () => readInstallSeconds(ssm, documentName)),
  ])
  if (installSeconds === undefined) assumptions.push('An instance is assumed to take 20 seconds for the release.')
  return {
    region,
    accountNumber: group.AutoScalingGroupARN?.split(':')[4] ?? '',
    readAt: now.toISOString(),
    group: plain(group),
    reachable: [...reachable],
    ...present({ currentRelease, installSeconds }),
    assumptions,
  }
}

/** Returns the median time in seconds that an instance took for the newest successful command of the document. */
async function readInstallSeconds(ssm: SSMClient, documentName: string): Promise<number | undefined> {
  const Filters = [
    { key: 'DocumentName' as const, value: documentName },
    { key: 'Status' as const, value: 'Success' },
  ]
  const { Commands: [newest] = [] } = await callCloud(() =>
    ssm.send(new ListCommandsCommand({ Filters, MaxResults: 1 })),
  )
  if (!newest?.CommandId) return undefined
  const command = new ListCommandInvocationsCommand({ CommandId: newest.CommandId, Details: true })
  const { CommandInvocations = [] } = await callCloud(() => ssm.send(command))
  const took = CommandInvocations.flatMap(({ CommandPlugins = [] }) => {
    const [from, to] = [CommandPlugins[0]?.ResponseStartDateTime, CommandPlugins.at(-1)?.ResponseFinishDateTime]
    return from && to ? [to.getTime() - from.getTime()] : []
  }).sort((a, b) => a - b)
  const median = took[Math.floor(took.length / 2)]
  return median === undefined ? undefined : Math.max(1, Math.round(median / 1_000))
}
