import type { BundledModule, Deployment, ModuleDefinition, ModuleInstance } from '@sluice/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { sharedWorld, stepsOf, type TestOrganization, type TestService, type World } from '../../testing/world.ts'

let world: World
let org: TestOrganization
let service: TestService

beforeAll(async () => {
  world = await sharedWorld()
  org = await world.organization()
  service = await org.service()
})

const account = 'arn:aws:iam::123456789012'
const traffic = {
  target_group_arn: 'arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/a/1',
  alternate_target_group_arn: 'arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/b/1',
  production_listener_rule_arn: 'arn:aws:elasticloadbalancing:eu-west-1:123456789012:listener-rule/app/a/1/1/1',
  infrastructure_role_arn: `${account}:role/infrastructure`,
}
const container = {
  cluster_arn: 'arn:aws:ecs:eu-west-1:123456789012:cluster/shop',
  service_arn: 'arn:aws:ecs:eu-west-1:123456789012:service/shop/web',
  image_repository: 'registry.example/shop/web',
}
const lambda = { function_arn: 'arn:aws:lambda:eu-west-1:123456789012:function:mailer' }
const site = {
  bucket: 'site',
  distribution_arns: ['arn:aws:cloudfront::123456789012:distribution/E1'],
  keyvaluestore_arn: 'arn:aws:cloudfront::123456789012:key-value-store/site',
}

const bundled = () => org.client.done<BundledModule[]>('GET', '/bundled-modules')

/** Publishes a bundled module as the organization's own, under a unique type. */
async function takenOver(type: string, own: string): Promise<ModuleDefinition> {
  const one = (await bundled()).find((module) => module.type === type)
  if (!one) throw new Error(`no module ${type} comes with Sluice`)
  const { name, description, version, config } = one
  const { id } = await org.client.done<ModuleDefinition>('POST', '/module-definitions', {
    data: { type: own, name, description },
  })
  await org.client.done('POST', '/module-versions', { data: { moduleDefinitionId: id, version, description, config } })
  return org.client.done('GET', `/module-definitions/${id}`)
}

async function place(moduleDefinitionId: string, givenId: string, input: object): Promise<ModuleInstance> {
  const [environment] = await org.client.done<{ id: string }[]>('GET', '/environments')
  const data = { environmentId: environment?.id, moduleDefinitionId, givenId, name: givenId, input }
  return org.client.done('POST', '/module-instances', { data })
}

test('every bundled module can be published unchanged', async () => {
  const all = await bundled()
  expect(all.map(({ type }) => type)).toEqual(['container-service', 'function', 'static-site'])
  for (const { type } of all) {
    expect(await takenOver(type, `published-${type}`)).toMatchObject({ status: 'ACTIVE', latestVersion: '1.0.0' })
  }
})

describe('bundled modules render valid deploy blocks for every strategy of', async () => {
  test(
    'containers, functions and static sites',
    everyCase(
      [
        ['container-service', 'rolling', { ...container, strategy: 'rolling' }],
        ['container-service', 'blue-green', { ...container, ...traffic, strategy: 'blue_green' }],
        ['container-service', 'linear', { ...container, ...traffic, strategy: 'linear', waits_for_person: false }],
        [
          'container-service',
          'canary',
          { ...container, ...traffic, strategy: 'canary', log_group: '/a', command: ['b'] },
        ],
        ['function', 'archive', { ...lambda, artifact_bucket: 'artifacts' }],
        [
          'function',
          'image',
          { ...lambda, package_type: 'image', image_repository: 'a.example/f', strategy: 'canary' },
        ],
        ['static-site', 'whole', { ...site, address: 'https://www.example.com' }],
        ['static-site', 'paths', { ...site, invalidation: 'paths', invalidation_paths: ['/index.html'] }],
      ],
      async (type, name, input) => {
        const named = `${type}-${name}`
        const { id } = await takenOver(type, named)
        const instance = await place(id, named, input)
        const { errors } = await org.client.done<{ errors: object[] }>('GET', `/module-instances/${instance.id}/inputs`)
        expect(errors).toEqual([])
        // The deploy block renders, but the cloud resources that it names do not exist.
        const given =
          type === 'static-site' ? { directory: 'a' } : 'package_type' in input ? { image_ref: '1' } : undefined
        const inputs = given ?? (type === 'function' ? { s3_key: 'a.zip' } : { image_ref: '1' })
        const data = { moduleInstanceId: instance.id, description: '', inputs }
        const { status, body } = await org.client.ask('POST', '/deployments', { data })
        expect([status, body]).toMatchObject([422, { code: 'Sluice:Deployments:CLOUD_ACCOUNT_NOT_CONNECTED' }])
      },
    ),
  )
})

test('the container service module releases a running service', async () => {
  const { id } = await takenOver('container-service', 'released')
  const { cluster_arn, service_arn, execution_role_arn } = service.input
  const instance = await place(id, 'released', {
    cluster_arn,
    service_arn,
    execution_role_arn,
    image_repository: 'registry.example/shop/web',
  })
  const data = { moduleInstanceId: instance.id, description: '', inputs: { image_ref: '2.0.0' } }
  const { id: deploymentId } = await org.client.done<Deployment>('POST', '/deployments', { data })
  const over = await org.untilStatus(deploymentId, 'SUCCESS', 'ERROR', 'ROLLED_BACK')
  expect([over.status, stepsOf(over)]).toEqual(['SUCCESS', expect.arrayContaining(['REGISTER_RELEASE', 'COMPLETED'])])
})
