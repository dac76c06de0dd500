import { randomBytes } from 'node:crypto'
import { DescribeTasksCommand, ListTasksCommand, StopTaskCommand } from '@aws-sdk/client-ecs'
import { defaultClusterName, type ExecutionEnvironment } from '@sluice/contract'
import { shopNetwork } from '../../../demo/cloud.ts'
import { makeRunnerSetup, runnerNetwork } from '../../../demo/runners.ts'
import type { TestOrganization, World } from '../../testing/world.ts'

const region = 'eu-west-1'
const cluster = defaultClusterName

/** Creates an organization whose steps run as tasks in its own cloud account. */
export async function organizationWithTasks(world: World) {
  const organization = await world.organization()
  const { clients, roleArn, accountNumber: account } = organization
  await world.cloud.putNetwork({ account, region, ...shopNetwork })
  await makeRunnerSetup({ clients, control: world.cloud }, { roleArn, region })
  const environment = await environmentIn(organization)
  const { ecs } = clients

  return Object.assign(organization, {
    environment,
    /** Returns a step that runs there. */
    command: (id: string, given: object, more: object = {}) => ({
      id,
      type: 'command',
      execution_environment_id: environment.id,
      with: given,
      ...more,
    }),
    /** Returns the tasks of the cluster, including ended ones. */
    async tasks() {
      const lists = [{ cluster }, { cluster, desiredStatus: 'STOPPED' as const }]
      const listed = await Promise.all(lists.map((list) => ecs.send(new ListTasksCommand(list))))
      const arns = [...new Set(listed.flatMap(({ taskArns = [] }) => taskArns))]
      if (arns.length === 0) return []
      return (await ecs.send(new DescribeTasksCommand({ cluster, tasks: arns }))).tasks ?? []
    },
    /** Stops a task as a user of the account. */
    stop: (task: string, reason: string) => ecs.send(new StopTaskCommand({ cluster, task, reason })),
  })
}

export type OrganizationWithTasks = Awaited<ReturnType<typeof organizationWithTasks>>

export const environmentIn = ({ client, cloudAccountId }: TestOrganization, fields: object = {}) =>
  client.done<ExecutionEnvironment>('POST', '/execution-environments', {
    data: {
      givenId: `ee-${randomBytes(4).toString('hex')}`,
      name: 'Tasks',
      cloudAccountId,
      region,
      network: runnerNetwork,
      ...fields,
    },
  })
