import { randomBytes } from 'node:crypto'
import { DescribeAutoScalingGroupsCommand } from '@aws-sdk/client-auto-scaling'
import { DescribeInstanceInformationCommand, GetParameterCommand } from '@aws-sdk/client-ssm'
import type { Deployment, Ec2DeploymentData } from '@sluice/contract'
import { createMachineGroup, type GroupOptions } from '../../demo/machines.ts'
import { createInstance, publishModule } from '../../demo/organization.ts'
import { eq } from '../platform/db/drizzle.ts'
import { present } from '../platform/present.ts'
import { environments } from '../projects/projects/tables.ts'
import { eventually } from './eventually.ts'
import type { TestOrganization, World } from './world.ts'

export type TestGroup = { name: string; moduleInstanceId: string }

type Wishes = Partial<GroupOptions> & {
  /** Value of `deploy.strategy` in the module. */
  strategy?: Record<string, unknown>
  /** Changes to the deploy block. */
  deploy?: Record<string, unknown>
}

const deployOf = (name: string, cloudAccountId: string, runtime: GroupOptions['runtime']) => ({
  type: 'cloud:ec2',
  inputs: [{ id: 'image_ref', label: 'What to release', type: 'string', required: true }],
  infrastructure: {
    autoscaling_group_name: name,
    cloud_account_id: cloudAccountId,
    region: 'eu-west-1',
    log_group_name: `/machines/${name}`,
    target_group_arn: null,
  },
  definition:
    runtime === 'container'
      ? { runtime, image_uri: '<< deploy.input.image_ref >>' }
      : { runtime, commands: ['set -e', '<< deploy.input.image_ref >>'] },
})

/** Creates an Auto Scaling group with instances in service, and the module instance that releases to it. */
export async function createGroup(
  world: World,
  org: TestOrganization,
  { strategy, deploy, ...wish }: Wishes = {},
): Promise<TestGroup> {
  const name = wish.name ?? `g${randomBytes(4).toString('hex')}`
  const { size, runtime } = { size: 3, runtime: 'container' as const, ...wish }
  await createMachineGroup(org.clients, { name, size, runtime })
  return groupInstance(world, org, name, present({ runtime, strategy, deploy }))
}

/** Creates a module instance for an existing group. */
export async function groupInstance(
  world: World,
  org: TestOrganization,
  name: string,
  { runtime = 'container', strategy, deploy }: Omit<Wishes, 'name' | 'size'> = {},
): Promise<TestGroup> {
  const version = await publishModule(world.db, org.id, {
    type: name,
    name,
    description: 'A group of machines.',
    config: {
      inputs: [],
      deploy: { ...deployOf(name, org.cloudAccountId, runtime), ...(strategy && { strategy }), ...deploy },
    },
  })
  const [environment] = await world.db.select().from(environments).where(eq(environments.organizationId, org.id))
  if (!environment) throw new Error('the organization has no environment')
  const place = { organizationId: org.id, projectId: environment.projectId, environmentId: environment.id }
  const moduleInstanceId = await createInstance(world.db, { ...place, version, givenId: name, name, input: {} })
  return { name, moduleInstanceId }
}

/** Waits until this many instances of the group accept commands. Returns their ids. */
export function untilReachable(org: TestOrganization, { name }: TestGroup, count: number): Promise<string[]> {
  const read = async () => {
    const { Instances = [] } = await describeGroup(org, name)
    const ids = Instances.flatMap(({ InstanceId, LifecycleState }) =>
      LifecycleState === 'InService' ? [InstanceId] : [],
    )
    const { InstanceInformationList = [] } = await org.clients.ssm.send(new DescribeInstanceInformationCommand({}))
    const reachable = InstanceInformationList.map(({ InstanceId }) => InstanceId)
    return ids.filter((id): id is string => id !== undefined && reachable.includes(id))
  }
  return eventually(`${count} instances of ${name} to take commands`, read, (ids) => ids.length === count)
}

export async function describeGroup(org: TestOrganization, name: string) {
  const command = new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: [name] })
  const [group] = (await org.clients.autoScaling.send(command)).AutoScalingGroups ?? []
  if (!group) throw new Error(`there is no group ${name}`)
  return group
}

/** Returns what each instance of the group runs, according to the simulated cloud. */
export async function runsOf(world: World, { name }: TestGroup): Promise<(string | undefined)[]> {
  return (await world.cloud.instances()).filter(({ group }) => group === name).map(({ runs }) => runs)
}

/** Returns the release recorded for instances that start later. */
export async function publishedOf(org: TestOrganization, { name }: TestGroup): Promise<unknown> {
  const command = new GetParameterCommand({ Name: `/sluice/${name}/release` })
  const { Parameter } = await org.clients.ssm.send(command)
  return JSON.parse(Parameter?.Value ?? 'null')
}

/** Returns the data of a deployment to an Auto Scaling group. */
export function groupDataOf({ data }: Deployment): Ec2DeploymentData {
  if (data?.type !== 'cloud:ec2') throw new Error(`the deployment has no data of cloud:ec2 but of ${data?.type}`)
  return data
}
