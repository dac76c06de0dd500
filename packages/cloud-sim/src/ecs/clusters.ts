import type {
  ClusterSetting,
  Cluster as ClusterShape,
  CreateClusterRequest,
  DeleteClusterRequest,
  DescribeClustersRequest,
  ListClustersRequest,
} from '@aws-sdk/client-ecs'
import { arns, nameOf } from '../arns.ts'
import type { Caller } from '../callers.ts'
import { CloudError, invalidParameter } from '../errors.ts'
import type { World } from '../world.ts'
import { capacityProviders } from './launch-rules.ts'
import { page } from './pages.ts'
import { type Cluster, ecs, isPending } from './state.ts'
import { checkTags } from './tag-rules.ts'

const defaultSettings = [{ name: 'containerInsights', value: 'disabled' }] satisfies ClusterSetting[]

export function createCluster(world: World, caller: Caller, input: CreateClusterRequest) {
  const { clusterName: name = 'default', tags = [] } = input
  if (!/^[a-zA-Z0-9_-]{1,255}$/.test(name)) throw invalidParameter(`Invalid cluster name: ${name}.`)
  checkTags(tags)
  const key = arns.cluster(caller.scope, name)
  const there = ecs(world).clusters.get(key)
  if (there?.status === 'ACTIVE') return { cluster: describe(world, there) } // creating it again changes nothing
  if (there) ecs(world).clusters.remove(there)
  const settings = input.settings ?? defaultSettings
  const cluster = ecs(world).clusters.save({ key, scope: caller.scope, name, status: 'ACTIVE', tags, settings })
  return { cluster: describe(world, cluster) }
}

export function describeClusters(world: World, caller: Caller, input: DescribeClustersRequest) {
  const wanted = (input.clusters ?? ['default']).map((name) => clusterArn(caller, name))
  const found = wanted
    .flatMap((arn) => ecs(world).clusters.get(arn) ?? [])
    .filter(({ scope }) => scope === caller.scope)
  const missing = wanted.filter((arn) => !found.some(({ key }) => key === arn))
  return {
    clusters: found.map((cluster) => describe(world, cluster)),
    failures: missing.map((arn) => ({ arn, reason: 'MISSING' })),
  }
}

export function listClusters(world: World, caller: Caller, input: ListClustersRequest) {
  const active = ecs(world)
    .clusters.having('scope', caller.scope)
    .filter(({ status }) => status === 'ACTIVE')
  const { items, more } = page(active, input)
  return { clusterArns: items.map(({ key }) => key), ...more }
}

export function deleteCluster(world: World, caller: Caller, input: DeleteClusterRequest) {
  const cluster = findCluster(world, caller, input.cluster)
  if (
    ecs(world)
      .services.having('cluster', cluster.key)
      .some(({ status }) => status !== 'INACTIVE')
  ) {
    const message = 'The Cluster cannot be deleted while Services are active.'
    throw new CloudError('ClusterContainsServicesException', message)
  }
  if (
    ecs(world)
      .tasks.having('cluster', cluster.key)
      .some(({ lastStatus }) => lastStatus !== 'STOPPED')
  ) {
    throw new CloudError('ClusterContainsTasksException', 'The Cluster cannot be deleted while Tasks are active.')
  }
  ecs(world).clusters.save(Object.assign(cluster, { status: 'INACTIVE' }))
  return { cluster: describe(world, cluster) }
}

/** Returns the ARN of a cluster by name or ARN; the default is `default`. */
export const clusterArn = (caller: Caller, cluster = 'default') =>
  cluster.startsWith('arn:') ? cluster : arns.cluster(caller.scope, cluster)

export function findCluster(world: World, caller: Caller, name: string | undefined): Cluster {
  const cluster = ecs(world).clusters.get(clusterArn(caller, name))
  if (cluster?.scope !== caller.scope || cluster.status !== 'ACTIVE') {
    throw new CloudError('ClusterNotFoundException', 'Cluster not found.')
  }
  return cluster
}

function describe(world: World, cluster: Cluster): ClusterShape {
  const tasks = ecs(world).tasks.having('cluster', cluster.key)
  const services = ecs(world).services.having('cluster', cluster.key)
  return {
    clusterArn: cluster.key,
    clusterName: nameOf(cluster.key),
    status: cluster.status,
    registeredContainerInstancesCount: 0,
    runningTasksCount: tasks.filter(({ lastStatus }) => lastStatus === 'RUNNING').length,
    pendingTasksCount: tasks.filter(isPending).length,
    activeServicesCount: services.filter(({ status }) => status === 'ACTIVE').length,
    statistics: [],
    tags: cluster.tags,
    settings: cluster.settings ?? defaultSettings, // state files of earlier versions lack settings
    capacityProviders,
    defaultCapacityProviderStrategy: [],
  }
}
