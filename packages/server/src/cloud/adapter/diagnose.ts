import { type Container, DescribeServicesCommand, type Task } from '@aws-sdk/client-ecs'
import type { TaskDefinitionRecord } from '@sluice/contract'
import type { Diagnosis, ServiceRelease, TrafficShift } from '../facts/ecs.ts'
import type { CloudClients } from './access.ts'
import { CloudTransientError, callCloud } from './cloud-call.ts'
import { unhealthyTargets } from './ecs/load-balancers.ts'
import { lastLines } from './ecs/task-logs.ts'
import { stoppedTasks } from './ecs/tasks.ts'

const maxLines = 10

export type DiagnosisRequest = {
  release: ServiceRelease
  trafficShifts: readonly TrafficShift[]
  externalDeploymentId: string
  definition: TaskDefinitionRecord | undefined
  /**
   * Whether to omit parts that the cloud cannot return at the moment; otherwise their `CloudTransientError` is thrown.
   */
  leavesOutTroubled: boolean
}

/**
 * Collects what an operator would look up after a failed release. Omits what the role may not read, so that diagnosis
 * cannot cause another failure.
 */
export async function diagnose(
  { ecs, elb, logs }: CloudClients,
  { release, trafficShifts, externalDeploymentId, definition, leavesOutTroubled }: DiagnosisRequest,
): Promise<Diagnosis> {
  const orNothing = <T>(found: Promise<T[]>): Promise<T[]> =>
    found.catch((error: unknown) => {
      if (error instanceof CloudTransientError && !leavesOutTroubled) throw error
      return []
    })
  const { clusterArn: cluster, serviceArn } = release
  const serviceName = serviceArn.split('/').at(-1) ?? ''
  const [tasks, serviceEvents, targetHealth] = await Promise.all([
    orNothing(stoppedTasks(ecs, { cluster, serviceName }, externalDeploymentId, maxLines)),
    orNothing(serviceEventLines(ecs, cluster, serviceArn)),
    orNothing(unhealthyTargets(elb, trafficShifts)),
  ])
  const death = await deathOf(logs, definition, tasks)
  const diagnosis = { stoppedTasks: tasks.map(taskLine), serviceEvents, targetHealth: targetHealth.slice(0, maxLines) }
  return death ? { ...diagnosis, death } : diagnosis
}

/** Returns the error of the first task with a failed container, or else why the cloud stopped a task. */
async function deathOf(
  logs: CloudClients['logs'],
  definition: TaskDefinitionRecord | undefined,
  tasks: readonly Task[],
): Promise<Diagnosis['death']> {
  const all = tasks.flatMap((task) => (task.containers ?? []).map((container) => ({ task, container })))
  const died =
    all.find(({ container: { exitCode } }) => exitCode !== undefined && exitCode !== 0) ??
    all.find(({ container: { reason } }) => reason) ??
    all[0]
  const cause = died && causeOf(died.task, died.container)
  if (!died || !cause) return undefined
  const container = died.container.name ?? ''
  return { cause, container, lastLines: await lastLines(logs, definition, container, died.task.taskArn ?? '') }
}

/** Maximum length of the cause in a headline, in characters. */
const maxCauseLength = 200

function causeOf({ stoppedReason }: Task, { exitCode, reason }: Container): string | undefined {
  const exit = exitCode === undefined || exitCode === 0 ? undefined : `exit code ${exitCode}`
  const cause = [exit, reason].filter((part) => part !== undefined && part !== '').join(', ')
  return (cause || stoppedReason)?.slice(0, maxCauseLength)
}

function taskLine({ taskArn, stopCode, stoppedReason, containers = [] }: Task): string {
  const exits = containers.flatMap(({ name, exitCode, reason }) => {
    const cause = [exitCode === undefined ? undefined : `exit code ${exitCode}`, reason].filter(
      (part) => part !== undefined,
    )
    return cause.length === 0 ? [] : [`${name}: ${cause.join(', ')}`]
  })
  const why = [stopCode, stoppedReason].filter((part) => part !== undefined).join(': ')
  return [`${taskArn?.split('/').at(-1)}`, why, ...exits].filter((part) => part !== '').join(' · ')
}

async function serviceEventLines(ecs: CloudClients['ecs'], cluster: string, serviceArn: string): Promise<string[]> {
  const { services } = await callCloud(() => ecs.send(new DescribeServicesCommand({ cluster, services: [serviceArn] })))
  return (services?.[0]?.events ?? []).slice(0, maxLines).flatMap(({ message }) => message ?? [])
}
