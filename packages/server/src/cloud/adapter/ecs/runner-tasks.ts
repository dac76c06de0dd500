import { hash } from 'node:crypto'
import {
  DescribeClustersCommand,
  type ECSClient,
  RegisterTaskDefinitionCommand,
  type RegisterTaskDefinitionCommandInput,
  RunTaskCommand,
} from '@aws-sdk/client-ecs'
import { namesIn, type RunnerKind, type RunnerTaskRequest, runnerContainer } from '../../facts/runner-tasks.ts'
import { ask, CloudRefusal, CloudTrouble } from '../answer.ts'
import { startedTask } from './tasks.ts'

/** @throws {CloudRefusal} where there is no such cluster, or it takes no tasks */
export async function expectCluster(ecs: ECSClient, name: string): Promise<void> {
  const { clusters } = await ask(() => ecs.send(new DescribeClustersCommand({ clusters: [name] })))
  const status = clusters?.[0]?.status
  if (status === 'ACTIVE') return
  throw new CloudRefusal('ClusterNotFoundException', `The cluster ${name} is ${status ?? 'not there'}.`)
}

/** Tells what would be registered for a kind of tasks from what was. */
export const digestOf = (kind: RunnerKind): string => hash('sha256', JSON.stringify(definitionOf(kind)), 'hex')

/** Registers what the tasks of a kind are started from. Registering it twice leaves a revision that nobody uses. */
export async function registerRunner(ecs: ECSClient, kind: RunnerKind): Promise<string> {
  const command = new RegisterTaskDefinitionCommand(definitionOf(kind))
  const { taskDefinition } = await ask(() => ecs.send(command), 'RegisterTaskDefinition')
  if (taskDefinition?.taskDefinitionArn) return taskDefinition.taskDefinitionArn
  throw new CloudTrouble('The cloud answered without a task definition.')
}

/** Longest that Fargate grants between asking a container to end and ending it: time to hand a state in. Seconds. */
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
        // A task is for one attempt of one organization: it is the sandbox, and allows none in it.
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
 * Starts the task, once: a request that is sent again under the same name starts nothing more. The ARN of the task.
 * @throws {CloudTrouble} where there is no capacity now
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
  return startedTask(await ask(() => ecs.send(command), 'RunTask'), 'runner')
}
