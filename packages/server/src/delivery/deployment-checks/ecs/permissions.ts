import type { RequiredPermission } from '../../../cloud/facts/release-parts.ts'
import type { EcsRelease } from '../../deployments/types/ecs/release.ts'
import type { AssumedRole } from '../roles.ts'
import type { TaskDefinition } from './task-definition.ts'

type Needs = { release: EcsRelease; definition: TaskDefinition | undefined; roles: readonly AssumedRole[] }

/** Returns the permissions that the connected role needs for a release to a container service. */
export function requiredPermissions({ release, definition, roles }: Needs): RequiredPermission[] {
  const { serviceArn, clusterArn, strategy, preDeploy, postDeploy } = release
  const [, partition = '', , region = '', account = ''] = serviceArn.split(':')
  const arn = (resource: string) => `arn:${partition}:ecs:${region}:${account}:${resource}`
  const inCluster = serviceArn.split(':service/').at(-1) ?? ''
  const cluster = clusterArn.split('/').at(-1) ?? ''
  const definitionArn = arn(`task-definition/${definition?.family ?? '*'}:*`)
  const deploymentArns = arn(`service-deployment/${inCluster}/*`)
  const on = (resource: string, ...actions: string[]): RequiredPermission[] =>
    actions.map((action) => ({ action, resource }))
  const pauses = strategy.type !== 'rolling' && strategy.pauseStages.length > 0
  const runsCommand = preDeploy !== undefined || postDeploy !== undefined
  return [
    ...on(serviceArn, 'ecs:DescribeServices', 'ecs:ListServiceDeployments', 'ecs:UpdateService'),
    ...on(deploymentArns, 'ecs:DescribeServiceDeployments'),
    ...(pauses ? on(deploymentArns, 'ecs:ContinueServiceDeployment') : []),
    ...(definition ? on(definitionArn, 'ecs:RegisterTaskDefinition', 'ecs:TagResource') : []),
    ...(runsCommand
      ? [{ action: 'ecs:RunTask', resource: definitionArn, context: { 'ecs:cluster': clusterArn } }]
      : []),
    ...(runsCommand ? on(arn(`task/${cluster}/*`), 'ecs:DescribeTasks', 'ecs:StopTask') : []),
    ...roles.map(({ roleArn, service }) => ({
      action: 'iam:PassRole',
      resource: roleArn,
      context: { 'iam:PassedToService': service },
    })),
    { action: 'ecs:StopServiceDeployment', resource: deploymentArns, lostWithout: 'cancel the release' },
    ...['ecs:DescribeTaskDefinition', 'ecs:ListTaskDefinitions'].map((action) => ({
      action,
      resource: '*',
      lostWithout: 'resume the release after a lost response',
    })),
  ]
}
