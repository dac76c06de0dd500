import {
  DescribeServiceDeploymentsCommand,
  DescribeServiceRevisionsCommand,
  DescribeServicesCommand,
  type ECSClient,
  type ServiceDeployment,
  type ServiceRevision,
} from '@aws-sdk/client-ecs'
import type { TaskDefinitionRecord } from '@sluice/contract'
import { present } from '../../../platform/present.ts'
import type { ExternalDeployment, LatestRelease, ServiceInEnvironment } from '../../facts/ecs.ts'
import { strategyOf, trafficShiftsOf } from '../../facts/ecs-configuration.ts'
import { callCloud } from '../cloud-call.ts'
import { deploymentIdOf, findServiceDeployment } from './service-deployments.ts'
import { readTaskDefinition } from './task-definitions.ts'

/** Statuses of a service deployment that has not ended. */
const unfinished = ['PENDING', 'IN_PROGRESS', 'STOP_REQUESTED', 'ROLLBACK_REQUESTED', 'ROLLBACK_IN_PROGRESS']

/** Returns the external deployment that started after `since`, or undefined while the cloud does not list it yet. */
export async function readExternalDeployment(
  ecs: ECSClient,
  place: ServiceInEnvironment,
  externalDeploymentId: string,
  since: Date,
): Promise<ExternalDeployment | undefined> {
  const arn = await findServiceDeployment(ecs, place, { externalDeploymentId, since })
  return arn === undefined ? undefined : (await readExternalDeployments(ecs, [arn]))[0]
}

/** Maximum numbers of services and service deployments per describe call (API reference, read 2026-11). */
const max = { services: 10, releases: 20 }

/** Returns the latest deployment of each service of a cluster, omitting services that no longer exist. */
export async function readLatestReleases(
  ecs: ECSClient,
  cluster: string,
  serviceArns: readonly string[],
): Promise<LatestRelease[]> {
  const found: LatestRelease[] = []
  for (let from = 0; from < serviceArns.length; from += max.services) {
    const command = new DescribeServicesCommand({ cluster, services: serviceArns.slice(from, from + max.services) })
    const { services = [] } = await callCloud(() => ecs.send(command))
    for (const { serviceArn, currentServiceDeployment: serviceDeploymentArn } of services) {
      if (serviceArn && serviceDeploymentArn) found.push({ serviceArn, serviceDeploymentArn })
    }
  }
  return found
}

/** Describes the service deployments with these ARNs, omitting those that the cloud does not return. */
export async function readExternalDeployments(ecs: ECSClient, arns: readonly string[]): Promise<ExternalDeployment[]> {
  const found: ServiceDeployment[] = []
  for (let from = 0; from < arns.length; from += max.releases) {
    const serviceDeploymentArns = arns.slice(from, from + max.releases)
    const command = new DescribeServiceDeploymentsCommand({ serviceDeploymentArns })
    found.push(...((await callCloud(() => ecs.send(command))).serviceDeployments ?? []))
  }
  const releases: ExternalDeployment[] = []
  for (const one of found) {
    const release = await releaseOf(ecs, one)
    if (release) releases.push(release)
  }
  return releases
}

async function releaseOf(ecs: ECSClient, found: ServiceDeployment): Promise<ExternalDeployment | undefined> {
  const { serviceDeploymentArn, status = '', deploymentCircuitBreaker, alarms } = found
  const targetArn = found.targetServiceRevision?.arn
  if (serviceDeploymentArn === undefined || targetArn === undefined) return undefined
  const [target, source] = await Promise.all([
    readRevision(ecs, targetArn),
    readRevision(ecs, found.sourceServiceRevisions?.[0]?.arn),
  ])
  const [taskDefinition, previous] = await Promise.all([taskDefinitionOf(ecs, target), taskDefinitionOf(ecs, source)])
  if (!taskDefinition) return undefined
  const strategy = strategyOf(found.deploymentConfiguration ?? {})
  return present({
    serviceDeploymentArn,
    externalDeploymentId: deploymentIdOf(targetArn),
    isTurnedBack: status.startsWith('ROLLBACK_') && [deploymentCircuitBreaker, alarms].some(isTriggered),
    createdAt: found.createdAt ?? new Date(0),
    isOver: !unfinished.includes(status),
    taskDefinition,
    previous,
    strategy,
    trafficShifts: strategy.type === 'rolling' ? [] : trafficShiftsOf(target?.loadBalancers ?? []),
  })
}

const isTriggered = (guard: { status?: string | undefined } | undefined): boolean => guard?.status === 'TRIGGERED'

async function readRevision(ecs: ECSClient, arn: string | undefined): Promise<ServiceRevision | undefined> {
  if (arn === undefined) return undefined
  const command = new DescribeServiceRevisionsCommand({ serviceRevisionArns: [arn] })
  return (await callCloud(() => ecs.send(command))).serviceRevisions?.[0]
}

async function taskDefinitionOf(
  ecs: ECSClient,
  revision: ServiceRevision | undefined,
): Promise<TaskDefinitionRecord | undefined> {
  return revision?.taskDefinition === undefined ? undefined : readTaskDefinition(ecs, revision.taskDefinition)
}
