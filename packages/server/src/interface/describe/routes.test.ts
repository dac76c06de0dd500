import type { Deployment, DeploymentResources, Membership, RecordDescription } from '@sluice/contract'
import { beforeAll, expect, test } from 'vitest'
import { deployments } from '../../delivery/deployments/store/tables.ts'
import { iacResources } from '../../infrastructure/iac-resources/tables.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { newId } from '../../platform/ids.ts'
import { Client } from '../../testing/client.ts'
import { eventually } from '../../testing/eventually.ts'
import { testFunction } from '../../testing/functions.ts'
import { addMember } from '../../testing/members.ts'
import { createOneOfEverything } from '../../testing/resources.ts'
import { createTestSite } from '../../testing/static-site.ts'
import { canary, pausingBeforeShifts } from '../../testing/strategies.ts'
import { sharedWorld, type World } from '../../testing/world.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})

const ask = (client: Client, id: string) => client.ask('GET', `/describe?${new URLSearchParams({ id })}`)
const describe = (client: Client, id: string) =>
  client.done<RecordDescription>('GET', `/describe?${new URLSearchParams({ id })}`)

test('every link of a record can be read', async () => {
  const org = await world.organization()
  const { byPath } = await createOneOfEverything(world.db, { organizationId: org.id })
  const types = [
    ...['cloud-accounts', 'deployments', 'environments', 'iac-resources', 'module-instances'],
    ...['pipeline-runs', 'pipeline-step-executions', 'pipelines', 'projects', 'stacks'],
    ...['memberships', 'service-accounts'],
  ]
  for (const type of types) {
    const id = byPath[type] ?? ''
    const found = await describe(org.client, id)
    expect(found, type).toMatchObject({ type, id, path: `/${type}/${id}` })
    expect(found.links.length, type).toBeGreaterThan(0)
    // These read the cloud.
    const recorded = found.links.filter(({ path }) => !/\/(tasks|resources|connection)$/.test(path))
    for (const { path } of recorded) expect((await org.client.ask('GET', path)).status, path).not.toBe(400)
  }
})

test('an instance is found by the ARN of any part of its target', async () => {
  const org = await world.organization()
  const { moduleInstanceId, serviceArn } = await org.service()
  const { id } = await org.deploy(moduleInstanceId)
  const service = await describe(org.client, serviceArn)
  expect(service).toMatchObject({ type: 'module-instances', id: moduleInstanceId, arn: serviceArn })
  expect(service.links).toContainEqual({ relation: 'latestDeployment', path: `/deployments/${id}`, id })

  const fn = await testFunction(org)
  const released = await org.untilStatus((await fn.deploy()).id, 'SUCCESS')
  for (const arn of [released.resourceArn, `${released.resourceArn}:live`, `${released.resourceArn}:2`])
    expect((await describe(org.client, arn ?? '')).id, arn).toBe(fn.moduleInstanceId)

  const site = await createTestSite(world, org, { active: 'r/1' })
  await site.release('r/2')
  for (const arn of [`arn:aws:s3:::${site.site.bucket}`, site.site.distribution_arn])
    expect((await describe(org.client, arn)).id, arn).toBe(site.moduleInstanceId)
  expect(await describe(org.client, org.roleArn)).toMatchObject({ type: 'cloud-accounts', id: org.cloudAccountId })
})

test('resources of deployments are found by their ARN, during and after the deployment', async () => {
  const org = await world.organization()
  const { moduleInstanceId } = await org.service(pausingBeforeShifts(canary))
  const { id } = await org.deploy(moduleInstanceId)
  await org.untilPaused(id)
  const { data } = await org.client.done<Deployment>('GET', `/deployments/${id}`)
  const { deployedTaskDefinition } = data as { deployedTaskDefinition: { arn: string } }
  expect(await describe(org.client, deployedTaskDefinition.arn)).toMatchObject({ type: 'deployments', id })
  expect(await org.continueToEnd(id)).toMatchObject({ status: 'SUCCESS' })

  const { data: resources } = await eventually(
    'what was there at the end to be kept',
    async () => (await org.client.ask('GET', `/deployments/${id}/resources`)).body as DeploymentResources,
    ({ meta }) => !meta.isLive,
  )
  const arns = resources
    .filter(({ kind }) => ['TASK_DEFINITION', 'TASK', 'TARGET_GROUP'].includes(kind))
    .map((resource) => resource.id)
  expect(arns.length).toBeGreaterThan(2)
  for (const arn of arns) expect(await describe(org.client, arn), arn).toMatchObject({ type: 'deployments', id })

  const [row] = await world.db.select().from(deployments).where(eq(deployments.id, id))
  const { trafficShift } = { ...row?.release } as { trafficShift?: { productionListenerRuleArn: string } }
  const listenerRule = trafficShift?.productionListenerRuleArn ?? ''
  const balancer = listenerRule.replace('listener-rule', 'loadbalancer').split('/').slice(0, -2).join('/')
  for (const arn of [listenerRule, balancer])
    expect(await describe(org.client, arn), arn).toMatchObject({ type: 'module-instances', id: moduleInstanceId })
  const stranger = await world.organization()
  for (const arn of [...arns, listenerRule, balancer]) expect((await ask(stranger.client, arn)).status, arn).toBe(404)
  expect((await ask(org.client, balancer.slice(0, -1))).status, 'a part of a name').toBe(404)
})

test('a member is found by email, but not by other organizations', async () => {
  const org = await world.organization()
  const [member] = await org.client.done<Membership[]>('GET', '/memberships')
  const email = member?.email ?? ''
  expect(await describe(org.client, email.toUpperCase())).toMatchObject({ type: 'memberships', id: member?.id })
  const stranger = await world.organization()
  for (const one of [email, member?.id ?? '']) expect((await ask(stranger.client, one)).status, one).toBe(404)
})

test('a current resource of a stack is found by its ARN', async () => {
  const org = await world.organization()
  const { byPath } = await createOneOfEverything(world.db, { organizationId: org.id })
  const [planned] = await world.db
    .select()
    .from(iacResources)
    .where(eq(iacResources.id, byPath['iac-resources'] ?? ''))
  if (!planned) throw new Error('there is one of everything')
  const arn = 'arn:aws:elasticloadbalancing:eu-west-1:111122223333:targetgroup/Web/0123456789abcdef'
  const id = newId('iac')
  const applied = { runType: 'APPLY', isInCurrentState: true, vendorData: { before: null, after: { arn } } } as const
  await world.db.insert(iacResources).values({ ...planned, ...applied, id })
  expect(await describe(org.client, arn)).toMatchObject({ type: 'iac-resources', id, arn, status: 'IN_STATE' })
  await world.db.update(iacResources).set({ isInCurrentState: false }).where(eq(iacResources.id, id))
  expect((await ask(org.client, arn)).status).toBe(404)
})

test('the response is the same for hidden, foreign and unknown records', async () => {
  const org = await world.organization()
  const { moduleInstanceId, serviceArn } = await org.service()
  const { id, environmentId } = await org.deploy(moduleInstanceId)
  const all = [moduleInstanceId, serviceArn, id, environmentId]
  const stranger = await world.organization()
  for (const one of [...all, 'mi_nothing', 'nothing', 'constructor', 'arn:', 'arn:aws:s3:::nothing'])
    expect((await ask(stranger.client, one)).status, one).toBe(404)
  const member = new Client(world.url, await addMember(world.db, org.id, 'DEVELOPER'))
  for (const one of all) expect((await ask(member, one)).status, one).toBe(200)
  await org.client.done('PATCH', `/environments/${environmentId}`, { data: { visibility: 'MEMBERS' } })
  for (const one of all) expect((await ask(member, one)).status, one).toBe(404)
})
