import type {
  ContinueServiceDeploymentRequest,
  CreateClusterRequest,
  CreateServiceRequest,
  DescribeClustersRequest,
  DescribeServiceDeploymentsRequest,
  DescribeServiceRevisionsRequest,
  DescribeServicesRequest,
  DescribeTasksRequest,
  ListServiceDeploymentsRequest,
  ListTasksRequest,
  RegisterTaskDefinitionRequest,
  RunTaskRequest,
  StopTaskRequest,
  TagResourceRequest,
  UpdateServiceRequest,
} from '@aws-sdk/client-ecs'
import { arnIn, arns, nameOf } from '../arns.ts'
import {
  defineIamPermissions,
  type IamPermission,
  type PermissionContext,
  passRolePermissionsFor,
} from '../rights/right.ts'
import { clusterArn } from './clusters.ts'
import { serviceArn } from './services.ts'
import { resolveTaskDefinition } from './task-definitions.ts'

type InCluster = { cluster?: string; service?: string }

const named = ({ cluster, service = '' }: InCluster, { caller }: PermissionContext) =>
  serviceArn(caller, cluster, service)

const tasksIn = (cluster: string | undefined, tasks: readonly string[], { caller }: PermissionContext) =>
  tasks.map((task) => (task.startsWith('arn:') ? task : arns.inCluster(clusterArn(caller, cluster), 'task', task)))

/** Returns the permission to tag for a request with tags ("Tag resources during creation", developer guide). */
const tagging = (tags: readonly object[] | undefined, resource: string): IamPermission[] =>
  tags?.length ? [{ action: 'ecs:TagResource', resource }] : []

/** Returns the ARN of a service deployment or revision and of its service, both of which need permission. */
const withService = (arn: string) => {
  const [kind = '', cluster, service] = arn.split('/')
  return [arn, `${kind.replace(/:service-(deployment|revision)$/, ':service')}/${cluster}/${service}`]
}

const taskDefinitionArn = (name: string, { world, caller }: PermissionContext) => {
  if (name.startsWith('arn:')) return name
  const known = resolveTaskDefinition(world, caller.scope, name)?.key
  return known ?? arnIn(caller.scope, 'ecs', `task-definition/${name}${name.includes(':') ? '' : ':*'}`)
}

/** Returns the permissions to pass the task definition's roles. */
function passingToTasks(taskDefinition: string | undefined, where: PermissionContext): IamPermission[] {
  const found = taskDefinition && resolveTaskDefinition(where.world, where.caller.scope, taskDefinition)
  if (!found) return []
  return passRolePermissionsFor(
    'ecs-tasks.amazonaws.com',
    [found.content.taskRoleArn, found.content.executionRoleArn],
    where,
  )
}

/** Returns the permissions to pass the roles of the service: for load balancers, hooks and volumes. */
function passingToService(
  input: CreateServiceRequest & UpdateServiceRequest,
  where: PermissionContext,
): IamPermission[] {
  const { role, loadBalancers = [], deploymentConfiguration, volumeConfigurations = [] } = input
  const roles = [
    role,
    ...loadBalancers.map(({ advancedConfiguration }) => advancedConfiguration?.roleArn),
    ...(deploymentConfiguration?.lifecycleHooks ?? []).map((hook) => hook.roleArn),
    ...volumeConfigurations.map(({ managedEBSVolume }) => managedEBSVolume?.roleArn),
  ]
  return passRolePermissionsFor('ecs.amazonaws.com', roles, where)
}

export const ecsRights = defineIamPermissions({
  ContinueServiceDeployment: ({ serviceDeploymentArn = '' }: ContinueServiceDeploymentRequest) =>
    withService(serviceDeploymentArn),
  StopServiceDeployment: ({ serviceDeploymentArn = '' }: { serviceDeploymentArn?: string }) =>
    withService(serviceDeploymentArn),
  DescribeServiceDeployments: ({ serviceDeploymentArns = [] }: DescribeServiceDeploymentsRequest) =>
    serviceDeploymentArns.flatMap(withService),
  DescribeServiceRevisions: ({ serviceRevisionArns = [] }: DescribeServiceRevisionsRequest) =>
    serviceRevisionArns.flatMap(withService),
  CreateCluster({ clusterName, tags }: CreateClusterRequest, { caller }) {
    const arn = clusterArn(caller, clusterName)
    return [arn, ...tagging(tags, arn)]
  },
  DeleteCluster: ({ cluster }: InCluster, { caller }) => clusterArn(caller, cluster),
  DescribeClusters: ({ clusters = ['default'] }: DescribeClustersRequest, { caller }) =>
    clusters.map((cluster) => clusterArn(caller, cluster)),
  CreateService(input: CreateServiceRequest, where) {
    const arn = serviceArn(where.caller, input.cluster, input.serviceName ?? '')
    const passed = [
      ...passingToTasks(input.taskDefinition, where),
      ...passingToService({ ...input, service: '' }, where),
    ]
    return [arn, ...tagging(input.tags, arn), ...passed]
  },
  UpdateService: (input: UpdateServiceRequest, where) => [
    serviceArn(where.caller, input.cluster, input.service ?? ''),
    ...passingToTasks(input.taskDefinition, where),
    ...passingToService({ ...input, serviceName: '' }, where),
  ],
  DeleteService: named,
  ListServiceDeployments: ({ cluster, service = '' }: ListServiceDeploymentsRequest, where) =>
    named({ ...(cluster && { cluster }), service }, where),
  DescribeServices: ({ cluster, services = [] }: DescribeServicesRequest, { caller }) =>
    services.map((service) => serviceArn(caller, cluster, service)),
  DescribeTasks: ({ cluster, tasks = [] }: DescribeTasksRequest, where) => tasksIn(cluster, tasks, where),
  StopTask: ({ cluster, task = '' }: StopTaskRequest, where) => tasksIn(cluster, [task], where),
  // The API reference requires permission on container instances, regardless of the filter.
  ListTasks: ({ cluster }: ListTasksRequest, { caller }) =>
    arnIn(caller.scope, 'ecs', `container-instance/${nameOf(clusterArn(caller, cluster))}/*`),
  RegisterTaskDefinition({ family = '', tags, taskRoleArn, executionRoleArn }: RegisterTaskDefinitionRequest, where) {
    const arn = arnIn(where.caller.scope, 'ecs', `task-definition/${family}:*`)
    return [
      arn,
      ...tagging(tags, arn),
      ...passRolePermissionsFor('ecs-tasks.amazonaws.com', [taskRoleArn, executionRoleArn], where),
    ]
  },
  RunTask({ cluster, taskDefinition = '', tags, overrides }: RunTaskRequest, where) {
    const inCluster = clusterArn(where.caller, cluster)
    const arn = taskDefinitionArn(taskDefinition, where)
    const own = { action: 'ecs:RunTask', resource: arn, context: { 'ecs:cluster': inCluster } }
    const given = [overrides?.taskRoleArn, overrides?.executionRoleArn]
    const passed = [
      ...passingToTasks(taskDefinition, where),
      ...passRolePermissionsFor('ecs-tasks.amazonaws.com', given, where),
    ]
    return [own, ...tagging(tags, arns.inCluster(inCluster, 'task', '*')), ...passed]
  },
  ListTagsForResource: ({ resourceArn = '*' }: TagResourceRequest) => resourceArn,
  TagResource: ({ resourceArn = '*' }: TagResourceRequest) => resourceArn,
  UntagResource: ({ resourceArn = '*' }: TagResourceRequest) => resourceArn,
})
