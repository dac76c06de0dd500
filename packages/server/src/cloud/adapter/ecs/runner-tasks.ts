import { hash } from 'node:crypto'
import {
  DescribeClustersCommand,
  type ECSClient,
  RegisterTaskDefinitionCommand,
  type RegisterTaskDefinitionCommandInput,
  RunTaskCommand,
} from '@aws-sdk/client-ecs'
import { namesIn, type RunnerKind, type RunnerTaskRequest, runnerContainer } from '../../facts/runner-tasks.ts'
import { CloudPermanentError, CloudTransientError, callCloud } from '../cloud-call.ts'
import { startedTask } from './tasks.ts'

/** Checks that the cluster exists and accepts tasks. @throws {CloudPermanentError} if it does not */
export async function requireCluster(ecs: ECSClient, name: string): Promise<void> {
  const { clusters } = await callCloud(() => ecs.send(new DescribeClustersCommand({ clusters: [name] })))
  const status = clusters?.[0]?.status
  if (status === 'ACTIVE') return
  throw new CloudPermanentError('ClusterNotFoundException', `The cluster ${name} is ${status ?? 'not there'}.`)
}

/** Returns a digest of the task definition for this kind of runner task, to detect changes. */
export const digestOf = (kind: RunnerKind): string => hash('sha256', JSON.stringify(definitionOf(kind)), 'hex')

/** Registers the task definition for this kind of runner task. A second registration leaves an unused revision. */
export async function registerRunner(ecs: ECSClient, kind: RunnerKind): Promise<string> {
  const command = new RegisterTaskDefinitionCommand(definitionOf(kind))
  const { taskDefinition } = await callCloud(() => ecs.send(command), 'RegisterTaskDefinition')
  if (taskDefinition?.taskDefinitionArn) return taskDefinition.taskDefinitionArn
  throw new CloudTransientError('The cloud answered without a task definition.')
}

/** Fargate's maximum time between SIGTERM and SIGKILL, in seconds, for a runner to upload its state. */
const stopTimeout = 120

function definitionOf({ place, environmentId, image, size }: RunnerKind): RegisterTaskDefinitionCommandInput {
  const { taskRoleArn, executionRoleArn, logGroupName, streamPrefix } = namesIn(place)
  return {
    family: `${place.clusterName}-${environmentId}`,
    networkMode: 'awsvpc',
    requiresCompatibilities: ['FARGATE'],
    cpu: String(size.cpuUnits),
    memory: String(size.memoryMiB),
    taskRoleArn,
    executionRoleArn,
    containerDefinitions: [
      {
        name: runnerContainer,
        image,
        essential: true,
        stopTimeout,
        // The task itself is the sandbox of one step attempt, so the runner must not create another inside it.
        environment: [
          { name: 'SLUICE_RUNNER_ONCE', value: '1' },
          { name: 'SLUICE_RUNNER_ISOLATION', value: 'none' },
        ],
        logConfiguration: {
          logDriver: 'awslogs',
          options: {
            'awslogs-group': logGroupName,
            'awslogs-region': place.region,
            'awslogs-stream-prefix': streamPrefix,
          },
        },
      },
    ],
  }
}

/**
 * Starts a runner task and returns its ARN. Repeating the request under the same name starts no second task. @throws
 * {CloudTransientError} if the cloud has no capacity at the moment
 */
export async function startRunner(ecs: ECSClient, request: RunnerTaskRequest): Promise<string> {
  const { clusterName, taskDefinitionArn, network, name, env } = request
  const environment = Object.entries(env).map(([name, value]) => ({ name, value }))
  const command = new RunTaskCommand({
    cluster: clusterName,
    taskDefinition: taskDefinitionArn,
    launchType: 'FARGATE',
    clientToken: name,
    startedBy: name,
    networkConfiguration: {
      awsvpcConfiguration: {
        subnets: network.subnetIds,
        securityGroups: network.securityGroupIds,
        assignPublicIp: network.assignPublicIp ? 'ENABLED' : 'DISABLED',
      },
    },
    overrides: { containerOverrides: [{ name: runnerContainer, environment }] },
  })
  return startedTask(await callCloud(() => ecs.send(command), 'RunTask'), 'runner')
}
