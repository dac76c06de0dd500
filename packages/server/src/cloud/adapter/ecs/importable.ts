import {
  DescribeServicesCommand,
  DescribeTaskDefinitionCommand,
  type ECSClient,
  ListClustersCommand,
  ListServicesCommand,
  type Service,
} from '@aws-sdk/client-ecs'
import { present } from '../../../platform/present.ts'
import type { ExistingService, ServiceInEnvironment } from '../../facts/ecs.ts'
import { callingHooksOf, hasRollbackBreaker, strategyOf, trafficShiftsOf } from '../../facts/ecs-configuration.ts'
import type { Importable, ImportablePage } from '../../facts/importable.ts'
import { callCloud } from '../cloud-call.ts'
import { findService, primaryOf, rolloutOf, routingOf } from './services.ts'
import { recordOf } from './task-definitions.ts'

/** Maximum numbers of clusters listed and services described per call (API reference, read 2026-11). */
const max = { clusters: 100, services: 10 }

/** Maximum number of clusters read for one page, because most calls can be for empty clusters. */
const clustersAtOnce = 20

/** Position after a page: within a cluster with the cloud's page token, or at the start of a cluster without one. */
type Place = { cluster: string; token?: string | undefined }

/**
 * Lists services of all clusters, ordered by cluster name, about `limit` per page. A page of the cloud ends with its
 * cluster, so a page can hold fewer than `limit` and still have a successor.
 */
export async function listServices(ecs: ECSClient, limit: number, from: string | undefined): Promise<ImportablePage> {
  const place = from === undefined ? undefined : (JSON.parse(from) as Place)
  const clusters = (await allClusters(ecs)).filter((arn) => place === undefined || arn >= place.cluster)
  const found: Importable[] = []
  let token = place?.token
  for (const [index, cluster] of clusters.entries()) {
    if (found.length >= limit || index >= clustersAtOnce) return { found, next: JSON.stringify({ cluster }) }
    do {
      const page = { cluster, maxResults: Math.min(limit, 100), ...present({ nextToken: token }) }
      const { serviceArns = [], nextToken } = await callCloud(() => ecs.send(new ListServicesCommand(page)))
      found.push(...(await describeAll(ecs, cluster, serviceArns)))
      token = nextToken
    } while (token !== undefined && found.length < limit)
    if (token !== undefined) return { found, next: JSON.stringify({ cluster, token }) }
  }
  return { found, next: undefined }
}

async function allClusters(ecs: ECSClient): Promise<string[]> {
  const found: string[] = []
  let nextToken: string | undefined
  do {
    const page = { maxResults: max.clusters, ...present({ nextToken }) }
    const answer = await callCloud(() => ecs.send(new ListClustersCommand(page)))
    found.push(...(answer.clusterArns ?? []))
    nextToken = answer.nextToken
  } while (nextToken !== undefined)
  return found.sort()
}

async function describeAll(ecs: ECSClient, cluster: string, arns: readonly string[]): Promise<Importable[]> {
  const found: Service[] = []
  for (let from = 0; from < arns.length; from += max.services) {
    const command = new DescribeServicesCommand({ cluster, services: arns.slice(from, from + max.services) })
    found.push(...((await callCloud(() => ecs.send(command))).services ?? []))
  }
  return found.flatMap(({ serviceArn, serviceName = '', status, taskDefinition }) =>
    serviceArn && status === 'ACTIVE'
      ? [
          {
            arn: serviceArn,
            name: serviceName,
            group: nameOf(cluster),
            ...present({ runs: taskDefinition && nameOf(taskDefinition) }),
          },
        ]
      : [],
  )
}

const nameOf = (arn: string): string => arn.split('/').at(-1) ?? arn

/** Reads the settings of an existing service from which its release configuration is derived. */
export async function readExistingService(ecs: ECSClient, place: ServiceInEnvironment): Promise<ExistingService> {
  const service = await findService(ecs, place)
  const primary = primaryOf(service)
  const taskDefinition = primary?.taskDefinitionArn ?? service.taskDefinition ?? ''
  const described = await callCloud(() =>
    ecs.send(new DescribeTaskDefinitionCommand({ taskDefinition, include: ['TAGS'] })),
  )
  const { deploymentConfiguration: configuration = {} } = service
  const routing = routingOf(service)
  return {
    ...place,
    name: service.serviceName ?? nameOf(place.serviceArn),
    controller: service.deploymentController?.type ?? 'ECS',
    isSettled: rolloutOf(service) === 'COMPLETED',
    ...present({
      primary,
      since: service.deployments?.find(({ status }) => status === 'PRIMARY')?.createdAt,
      serviceDeploymentArn: service.currentServiceDeployment,
      trafficShift: trafficShiftsOf(routing.balancers)[0],
      balancedContainer: service.loadBalancers?.[0]?.containerName,
    }),
    strategy: strategyOf(configuration),
    routing,
    callingHooks: callingHooksOf(configuration),
    hasBreaker: hasRollbackBreaker(configuration),
    taskDefinition: recordOf(described.taskDefinition),
    tags: (described.tags ?? []).flatMap(({ key, value = '' }) => (key === undefined ? [] : [{ key, value }])),
  }
}
