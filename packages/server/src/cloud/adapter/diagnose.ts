import { DescribeServicesCommand, type Task } from '@aws-sdk/client-ecs'
import type { Diagnosis, ServiceRelease } from '../facts/ecs.ts'
import type { CloudClients } from './access.ts'
import { ask } from './answer.ts'
import { stoppedTasks } from './ecs-tasks.ts'
import { unhealthyTargets } from './elb.ts'

const mostLines = 10

/**
 * Collects what an operator would look up after a failed release. It only explains: what cannot be read (a role
 * without the right, a throttled call) is left out and never makes the failure worse.
 */
export async function diagnose(
  { ecs, elb }: CloudClients,
  release: ServiceRelease,
  externalDeploymentId: string,
): Promise<Diagnosis> {
  const { clusterArn: cluster, serviceArn, trafficShift } = release
  const [stoppedTasks, serviceEvents, targetHealth] = await Promise.all([
    orNothing(stoppedTaskLines(ecs, release, externalDeploymentId)),
    orNothing(serviceEventLines(ecs, cluster, serviceArn)),
    trafficShift ? orNothing(unhealthyTargets(elb, trafficShift)) : [],
  ])
  return { stoppedTasks, serviceEvents, targetHealth: targetHealth.slice(0, mostLines) }
}

const orNothing = (lines: Promise<string[]>): Promise<string[]> => lines.catch(() => [])

async function stoppedTaskLines(
  ecs: CloudClients['ecs'],
  { clusterArn: cluster, serviceArn }: ServiceRelease,
  startedBy: string,
): Promise<string[]> {
  const serviceName = serviceArn.split('/').at(-1) ?? ''
  return (await stoppedTasks(ecs, { cluster, serviceName }, startedBy, mostLines)).map(taskLine)
}

function taskLine({ taskArn, stopCode, stoppedReason, containers = [] }: Task): string {
  const exits = containers.flatMap(({ name, exitCode, reason }) => {
    const said = [exitCode === undefined ? undefined : `exit code ${exitCode}`, reason].filter(
      (part) => part !== undefined,
    )
    return said.length === 0 ? [] : [`${name}: ${said.join(', ')}`]
  })
  const why = [stopCode, stoppedReason].filter((part) => part !== undefined).join(': ')
  return [`${taskArn?.split('/').at(-1)}`, why, ...exits].filter((part) => part !== '').join(' · ')
}

async function serviceEventLines(ecs: CloudClients['ecs'], cluster: string, serviceArn: string): Promise<string[]> {
  const { services } = await ask(() => ecs.send(new DescribeServicesCommand({ cluster, services: [serviceArn] })))
  return (services?.[0]?.events ?? []).slice(0, mostLines).flatMap(({ message }) => message ?? [])
}
