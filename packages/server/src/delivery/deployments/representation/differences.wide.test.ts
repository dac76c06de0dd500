import type { DeploymentDifference, DeploymentDifferences, DeploymentSource, ModuleInstance } from '@sluice/contract'
import { beforeAll, expect, test } from 'vitest'
import { eq } from '../../../platform/db/drizzle.ts'
import { newId } from '../../../platform/ids.ts'
import { eventually } from '../../../testing/eventually.ts'
import { sharedWorld, type TestOrganization, type World } from '../../../testing/world.ts'
import { deployments } from '../store/tables.ts'
import { differencesOf } from './differences.ts'

let world: World
let org: TestOrganization
beforeAll(async () => {
  world = await sharedWorld()
  org = await world.organization()
})

type Included = { source: DeploymentSource }

const differences = (id: string, against?: string) =>
  org.client.done<DeploymentDifferences>(
    'GET',
    `/deployments/${id}/differences${against === undefined ? '' : `?against=${against}`}`,
  )

const of = ({ differences }: DeploymentDifferences, kind: DeploymentDifference['of']) =>
  differences.filter((one) => one.of === kind)

/** Resolves when the release has ended and its source is known, which is looked up asynchronously. */
async function released(moduleInstanceId: string, image: string): Promise<string> {
  const { id } = await org.untilStatus((await org.deploy(moduleInstanceId, image)).id, 'SUCCESS')
  const withSource = async () =>
    (await org.client.ask('GET', `/deployments/${id}?include=source`)).body as { included?: Included }
  await eventually(
    'the source of the release',
    withSource,
    ({ included }) => included?.source.imageDigest !== undefined,
  )
  return id
}

test('a release lists its differences in version, image, inputs and instance inputs', async () => {
  const { moduleInstanceId } = await org.service()
  const first = await released(moduleInstanceId, 'shop/app:1')
  const { input } = await org.client.done<ModuleInstance>('GET', `/module-instances/${moduleInstanceId}`)
  const execution_role_arn = `${input.execution_role_arn}-of-another`
  await world.cloud.putRole({ roleArn: execution_role_arn, trustedService: 'ecs-tasks.amazonaws.com' })
  await org.client.done('PATCH', `/module-instances/${moduleInstanceId}`, {
    data: { input: { ...input, execution_role_arn } },
  })
  const second = await released(moduleInstanceId, 'shop/app:2')
  const found = await differences(second)
  expect(found).toMatchObject({ deploymentId: second, againstDeploymentId: first, unknown: [] })
  expect(of(found, 'VERSION')).toEqual([{ of: 'VERSION', path: '', before: '1', after: '2' }])
  expect(of(found, 'IMAGE')).toEqual([expect.objectContaining({ before: 'shop/app:1', after: 'shop/app:2' })])
  expect(of(found, 'DEPLOYMENT_INPUT')).toEqual([
    { of: 'DEPLOYMENT_INPUT', path: 'image_ref', before: 'shop/app:1', after: 'shop/app:2' },
  ])
  expect(of(found, 'INSTANCE_INPUT')).toMatchObject([{ path: 'execution_role_arn', after: execution_role_arn }])
  // The opposite direction, and the comparison with itself.
  expect(of(await differences(first, second), 'VERSION')).toMatchObject([{ before: '2', after: '1' }])
  expect((await differences(second, second)).differences).toEqual([])
  // A redeployment has the inputs of its source.
  const again = await org.untilStatus((await org.redeploy(first)).id, 'SUCCESS')
  expect(of(await differences(again.id, first), 'INSTANCE_INPUT')).toEqual([])
})

test('unknown inputs of an old deployment are not compared', async () => {
  const { moduleInstanceId } = await org.service()
  const first = await released(moduleInstanceId, 'shop/app:1')
  const second = await released(moduleInstanceId, 'shop/app:2')
  const [row] = await world.db.select().from(deployments).where(eq(deployments.id, first))
  if (!row) throw new Error('the deployment is not there')
  const older = { ...row, id: newId('dep'), instanceInput: null, moduleVersionId: null }
  await world.db.insert(deployments).values(older)
  const found = await differences(second, older.id)
  expect(found.unknown).toEqual(['SOURCE', 'MODULE_VERSION', 'INSTANCE_INPUT'])
  expect(of(found, 'VERSION')).toMatchObject([{ before: '1', after: '2' }])
  expect((await differences(first)).againstDeploymentId).toBeUndefined()
})

test('a deployment of another organization cannot be compared with', async () => {
  const [{ moduleInstanceId }, other] = [await org.service(), await world.organization()]
  const own = await org.deploy(moduleInstanceId)
  const theirs = await other.deploy((await other.service()).moduleInstanceId)
  expect((await org.client.ask('GET', `/deployments/${own.id}/differences?against=${theirs.id}`)).status).toBe(404)
})

test('a value that looks like a secret is listed as changed without its values', () => {
  const web = (environment: object[], more: object = {}) => ({
    RELEASE: { containerDefinitions: [{ name: 'web', image: 'shop:1', environment, ...more }] },
    INSTANCE_INPUT: { variables: { DB_PASSWORD: JSON.stringify(environment) }, url: 'https://a:b@c', level: 'a' },
  })
  const before = web([{ name: 'MODE', value: 'slow' }])
  const after = web([
    { name: 'API_TOKEN', value: 'a-secret' },
    { name: 'MODE', value: 'fast' },
  ])
  expect(
    differencesOf(web([], { secrets: [] }), web([], { secrets: [{ name: 'DB_PASSWORD', valueFrom: 'arn:b' }] }))
      .differences,
  ).toEqual([{ of: 'RELEASE', path: 'containerDefinitions.web.secrets.DB_PASSWORD', after: 'arn:b' }])
  const { differences } = differencesOf(before, {
    ...after,
    INSTANCE_INPUT: { ...after.INSTANCE_INPUT, url: 'https://a:z@c', level: { nested: { client_secret: 'a-secret' } } },
  })
  expect(differences).toEqual([
    { of: 'INSTANCE_INPUT', path: 'variables.DB_PASSWORD', isSecret: true },
    { of: 'INSTANCE_INPUT', path: 'url', isSecret: true },
    { of: 'INSTANCE_INPUT', path: 'level', isSecret: true },
    { of: 'RELEASE', path: 'containerDefinitions.web.environment.MODE', before: 'slow', after: 'fast' },
    { of: 'RELEASE', path: 'containerDefinitions.web.environment.API_TOKEN', isSecret: true },
  ])
})
