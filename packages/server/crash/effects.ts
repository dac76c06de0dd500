import type { Call, SimControl } from '@sluice/cloud-sim'
import type { Deployment } from '@sluice/contract'
import { expect } from 'vitest'
import { pausesOf, stepsOf } from '../src/testing/world.ts'

/** Fields of a service deployment in the cloud that must agree with deployments. */
type ServiceDeployment = {
  serviceDeploymentArn: string
  lifecycleHookDetails: { hookId: string; targetType: string; status: string }[]
}

const everyCall = 1_000_000

/**
 * Compares the cloud's log with the deployments: each release reached the cloud exactly once, each continued pause was
 * continued exactly once, and no pause was missed.
 */
export async function expectEachEffectOnce(cloud: SimControl, deployments: Deployment[]): Promise<void> {
  const accepted = (operation: string) => cloud.calls({ operation, accepted: true, limit: everyCall })

  const registrations = (await accepted('RegisterTaskDefinition')).flatMap(deploymentsOfTags)
  expect(repeated(registrations), 'deployments whose task definition was registered again').toEqual([])

  // A redeployment uses the same task definition, which is therefore updated as often as deployments reached the cloud.
  const updates = (await accepted('UpdateService')).map(({ request }) => (request as TaskDefinitionCall).taskDefinition)
  const reached = deployments.filter(({ externalDeploymentId }) => externalDeploymentId !== undefined)
  expect(counted(updates), 'updates of services by task definition').toEqual(counted(reached.map(taskDefinitionOf)))
  expect(repeated(reached.map(({ externalDeploymentId }) => externalDeploymentId)), 'shared releases').toEqual([])

  const shown = await serviceDeploymentsOf(cloud, reached)
  const pauses = shown.flatMap(({ lifecycleHookDetails }) => lifecycleHookDetails)
  const inCloud = Object.fromEntries(shown.map((one) => [one.serviceDeploymentArn, one.lifecycleHookDetails]))
  for (const deployment of reached) {
    const hooks = (inCloud[serviceDeploymentArnOf(deployment) ?? ''] ?? []).map(({ hookId }) => hookId)
    expect(pausesOf(deployment), `the pauses of ${deployment.id}`).toEqual(hooks)
  }
  const continues = (await accepted('ContinueServiceDeployment')).map(({ request }) => (request as HookCall).hookId)
  const continued = pauses.filter(({ status }) => status === 'SUCCEEDED').map(({ hookId }) => hookId)
  expect(continues.toSorted(), 'continued pauses').toEqual(continued.toSorted())

  for (const deployment of deployments) {
    const once = stepsOf(deployment).filter(
      (step) => !['PAUSED', 'CONTINUED', 'PRODUCTION_TRAFFIC_SHIFT'].includes(step),
    )
    expect(repeated(once), `repeated events of ${deployment.id}`).toEqual([])
  }
}

type TaskDefinitionCall = { taskDefinition: string }
type HookCall = { hookId: string }

const deploymentsOfTags = ({ request }: Call): string[] =>
  ((request as { tags?: { key: string; value: string }[] }).tags ?? []).flatMap(({ key, value }) =>
    key === 'sluice:deployment-id' ? [value] : [],
  )

/** Returns every service deployment of the services that these deployments released to. */
async function serviceDeploymentsOf(cloud: SimControl, deployments: Deployment[]): Promise<ServiceDeployment[]> {
  const services = new Set(deployments.map(({ resourceArn }) => resourceArn ?? ''))
  const views = [...services].map(async (arn) => {
    const [, , , , account = '', resource = ''] = arn.split(':')
    const [, cluster = '', name = ''] = resource.split('/')
    return (await cloud.service(account, cluster, name)) as { deployments: ServiceDeployment[] }
  })
  return (await Promise.all(views)).flatMap((view) => view.deployments)
}

const ecsOf = ({ data }: Deployment) => (data?.type === 'cloud:ecs' ? data : undefined)
const taskDefinitionOf = (deployment: Deployment) => ecsOf(deployment)?.deployedTaskDefinition?.arn
const serviceDeploymentArnOf = (deployment: Deployment) => ecsOf(deployment)?.serviceDeploymentArn

function counted(words: (string | undefined)[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const word of words) counts[word ?? 'none'] = (counts[word ?? 'none'] ?? 0) + 1
  return counts
}

const repeated = (words: (string | undefined)[]): [string, number][] =>
  Object.entries(counted(words)).filter(([, count]) => count > 1)
