import type { Deployment, DeploymentCheck, Environment, ModuleInstance } from '@sluice/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { sharedWorld, type TestOrganization, type World } from '../../../testing/world.ts'
import { listSharedResources } from '../store/shared-resources.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})

/** Creates a second module instance, in another environment, that releases to the same service. */
async function secondInstance(org: TestOrganization, { moduleInstanceId }: { moduleInstanceId: string }) {
  const first = await org.client.done<ModuleInstance>('GET', `/module-instances/${moduleInstanceId}`)
  const { projectId, moduleDefinitionId, moduleVersionId, input } = first
  const staging = { projectId, givenId: 'staging', name: 'Staging' }
  const { id: environmentId } = await org.client.done<Environment>('POST', '/environments', { data: staging })
  const module = { environmentId, moduleDefinitionId, moduleVersionId }
  const data = { ...module, givenId: 'web-again', name: 'Web again', input }
  return org.client.done<{ id: string }>('POST', '/module-instances', { data })
}

const isOver = ({ status }: Deployment) => ['SUCCESS', 'ERROR', 'CANCELLED'].includes(status)

test('resources to which several instances have released are listed for operators, the owner first', async () => {
  const org = await world.organization()
  const service = await org.service()
  const other = await org.service()
  const { id: secondId } = await secondInstance(org, service)
  for (const id of [service.moduleInstanceId, secondId, other.moduleInstanceId]) {
    expect(await org.until((await org.deploy(id)).id, 'released', isOver)).toMatchObject({ status: 'SUCCESS' })
  }
  await org.until((await org.deploy(secondId, 'shop/app:2')).id, 'released again', isOver)
  const mine = (await listSharedResources(world.db)).filter(({ organizationId }) => organizationId === org.id)
  expect(mine).toEqual([
    { organizationId: org.id, resource: service.serviceArn, moduleInstanceIds: [service.moduleInstanceId, secondId] },
  ])
})

describe.concurrent('a release from a second module instance to the same service', () => {
  test('ends without changing the service if the organization has release gates', async () => {
    const org = await world.organization()
    const service = await org.service()
    const first = await org.deploy(service.moduleInstanceId)
    await org.until(first.id, 'released', isOver)
    const { id: secondId } = await secondInstance(org, service)
    const hold = { moduleInstanceId: service.moduleInstanceId, reason: 'An incident.' }
    await org.client.done('POST', '/holds', { data: hold })

    const checked = await org.client.done<DeploymentCheck>('POST', '/deployment-checks', {
      data: { moduleInstanceId: secondId, description: 'Around the hold', inputs: { image_ref: 'shop/app:2' } },
    })
    expect(checked.outcome).toBe('WILL_FAIL')
    expect(checked.findings).toContainEqual(expect.objectContaining({ severity: 'ERROR', code: 'RESOURCE_TAKEN' }))
    const around = await org.deploy(secondId, 'shop/app:2')
    const ended = await org.until(around.id, 'ended', isOver)
    expect(ended, 'see resource-owner.ts').toMatchObject({
      status: 'CANCELLED',
      error: {
        code: 'Sluice:Deployments:RESOURCE_TAKEN',
        message: expect.stringContaining(service.moduleInstanceId),
        metadata: { moduleInstanceId: service.moduleInstanceId },
      },
    })
    expect(await org.get(first.id), 'the first release still serves').toMatchObject({ status: 'SUCCESS' })
  })

  test('starts after the first instance was deleted', async () => {
    const org = await world.organization()
    const service = await org.service()
    await org.until((await org.deploy(service.moduleInstanceId)).id, 'released', isOver)
    const { id: secondId } = await secondInstance(org, service)
    await org.client.done('POST', '/approval-rules', { data: { name: 'Never met', rollbacks: true, mode: 'WARN' } })
    expect((await org.client.ask('DELETE', `/module-instances/${service.moduleInstanceId}`)).status).toBeLessThan(300)
    const { id } = await org.deploy(secondId, 'shop/app:2')
    expect(await org.until(id, 'released', isOver)).toMatchObject({ status: 'SUCCESS' })
  })

  test('starts in an organization without release gates', async () => {
    const org = await world.organization()
    const service = await org.service()
    await org.until((await org.deploy(service.moduleInstanceId)).id, 'released', isOver)
    const { id: secondId } = await secondInstance(org, service)
    const { id } = await org.deploy(secondId, 'shop/app:2')
    expect(await org.until(id, 'released', isOver)).toMatchObject({ status: 'SUCCESS' })
  })
})
