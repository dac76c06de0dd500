import { DescribeServicesCommand, RegisterTaskDefinitionCommand, UpdateServiceCommand } from '@aws-sdk/client-ecs'
import { CreateAliasCommand, DeleteFunctionCommand, GetAliasCommand } from '@aws-sdk/client-lambda'
import type { ImportableResource, ModuleImport, ModuleInstance } from '@sluice/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { createService, createStage, type ServiceSpec, type Stage } from '../../../demo/cloud.ts'
import { createFunction } from '../../../demo/functions.ts'
import { checkConfig } from '../../modules/module-versions/config.ts'
import { eventually } from '../../testing/eventually.ts'
import { ecsDataOf, sharedWorld, type TestOrganization, type World } from '../../testing/world.ts'
import { importedContainerService } from './modules/container-service.ts'
import { importedFunction } from './modules/function.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})

const importedModules = [importedContainerService, importedFunction]

test.each(importedModules)('$type is a module that could be published', ({ config }) => {
  expect(checkConfig(config).faults).toEqual([])
})

/** Creates a service in the cloud without an instance. */
async function strangeService(org: TestOrganization, wish: Partial<ServiceSpec> = {}) {
  const stage: Stage = await createStage(org.clients, `c${Math.random().toString(36).slice(2, 10)}`)
  const name = `s${Math.random().toString(36).slice(2, 10)}`
  const made = await createService(org.clients, stage, { name, image: 'shop/app:1', strategy: null, ...wish })
  await settled(org, made)
  return { name, arn: made.service_arn, ...made }
}

const describeService = async ({ clients }: TestOrganization, at: { cluster_arn: string; service_arn: string }) => {
  const command = new DescribeServicesCommand({ cluster: at.cluster_arn, services: [at.service_arn] })
  return (await clients.ecs.send(command)).services?.[0]
}

const settled = (org: TestOrganization, at: { cluster_arn: string; service_arn: string }) =>
  eventually(
    'the service to run',
    async () => (await describeService(org, at))?.deployments,
    (all) => all?.length === 1 && all[0]?.rolloutState === 'COMPLETED',
  )

async function bodyOf(org: TestOrganization, resourceArn: string, more: object = {}) {
  const [environment] = await org.client.done<{ id: string }[]>('GET', '/environments')
  return { data: { environmentId: environment?.id, resourceArn, givenId: 'web', name: 'Web', ...more } }
}

const importOf = async (org: TestOrganization, resourceArn: string, more: object = {}) =>
  org.client.ask('POST', '/module-instances/import', await bodyOf(org, resourceArn, more))

const imported = async (org: TestOrganization, resourceArn: string, more: object = {}) =>
  org.client.done<Required<ModuleImport>>('POST', '/module-instances/import', await bodyOf(org, resourceArn, more))

/** Returns the operations that Sluice's role has called since. */
async function calledBySluice(org: TestOrganization, before: number): Promise<string[]> {
  const calls = await world.cloud.calls({ account: org.accountNumber })
  const operations = calls.slice(before).map(({ operation }) => operation)
  // Excludes the periodic check of the connection.
  return [...new Set(operations.filter((one) => one !== 'ListRoleTags'))].sort()
}
const callsSoFar = async (org: TestOrganization) => (await world.cloud.calls({ account: org.accountNumber })).length

describe('a container service', () => {
  test('becomes an instance whose first release is the running version, and the cloud is only read', async () => {
    const org = await world.organization({ delivery: false })
    const service = await strangeService(org)
    const before = await callsSoFar(org)

    const made = await imported(org, service.arn)

    expect(await calledBySluice(org, before)).toEqual(['DescribeServices', 'DescribeTaskDefinition'])
    expect(made).toMatchObject({
      moduleType: 'imported-container-service',
      running: { version: '1', what: `${service.family}:1` },
      input: {
        cluster_arn: service.cluster_arn,
        container_name: 'app',
        image_repository: 'shop/app',
        cpu: '256',
        memory: '512',
        execution_role_arn: service.execution_role_arn,
        strategy: 'rolling',
      },
    })
    const instance = await org.client.done<ModuleInstance>('GET', `/module-instances/${made.moduleInstanceId}`)
    expect(instance).toMatchObject({ status: 'ACTIVE', type: 'imported-container-service', input: made.input })
    expect(instance).not.toHaveProperty('stackId')
    expect(instance.ui?.logs?.[0]?.source).toMatchObject({ log_group: `/services/${service.name}` })
    const first = await org.get(made.deploymentId)
    expect(first).toMatchObject({ status: 'SUCCESS', triggerSource: 'EXTERNAL', resourceArn: service.arn })
    expect(ecsDataOf(first)).toMatchObject({
      deployedTaskDefinition: { arn: expect.stringContaining(`/${service.family}:1`) },
    })
  })

  test('is released like any other, and a rollback returns to the version before the import', async () => {
    const org = await world.organization()
    const service = await strangeService(org)
    const taskDefinition = async () => (await describeService(org, service))?.taskDefinition
    const before = await taskDefinition()
    const { moduleInstanceId, deploymentId } = await imported(org, service.arn)

    const { id } = await org.deploy(moduleInstanceId, '2')
    await org.untilStatus(id, 'SUCCESS')
    expect(await taskDefinition()).toMatch(/:2$/)
    expect(ecsDataOf(await org.get(id)).deployedTaskDefinition?.definition).toMatchObject({
      containerDefinitions: [{ name: 'app', image: 'shop/app:2' }],
    })

    const back = await org.rollback(id)
    expect(back.rollbackToDeploymentId).toBe(deploymentId)
    await org.untilStatus(back.id, 'SUCCESS')
    expect(await taskDefinition()).toBe(before)
  })

  test('that shifts traffic continues to do so', async () => {
    const org = await world.organization()
    const service = await strangeService(org, { strategy: { type: 'blue_green' } })
    const made = await imported(org, service.arn)
    expect(made.input).toMatchObject({
      strategy: 'blue_green',
      bake_time_in_minutes: 0,
      target_group_arn: service.target_group_arn,
      infrastructure_role_arn: service.infrastructure_role_arn,
    })
    const { id } = await org.deploy(made.moduleInstanceId, '2')
    expect(ecsDataOf(await org.untilStatus(id, 'SUCCESS'))).toMatchObject({ strategy: 'blue_green' })
  })

  test('with every property of a task definition would be registered unchanged', async () => {
    const org = await world.organization()
    const service = await strangeService(org)
    const { ecs } = org.clients
    const { taskDefinition } = await ecs.send(
      new RegisterTaskDefinitionCommand({
        family: service.family,
        cpu: '512',
        memory: '1024',
        networkMode: 'awsvpc',
        requiresCompatibilities: ['FARGATE'],
        executionRoleArn: service.execution_role_arn,
        runtimePlatform: { cpuArchitecture: 'ARM64', operatingSystemFamily: 'LINUX' },
        volumes: [{ name: 'scratch' }],
        tags: [{ key: 'team', value: 'shop' }],
        containerDefinitions: [
          { name: 'log-router', image: 'public/router:3', essential: false, memory: 128 },
          {
            name: 'app',
            image: 'shop/app@sha256:'.padEnd(80, 'a'),
            essential: true,
            command: ['serve', '<< not a template >>'],
            environment: [
              { name: 'MODE', value: 'live' },
              { name: 'DB_PASSWORD', value: 'hunter2' },
            ],
            secrets: [{ name: 'KEY', valueFrom: 'arn:aws:ssm:eu-west-1:123456789012:parameter/key' }],
            portMappings: [{ containerPort: 8080, protocol: 'tcp', name: 'http' }],
            mountPoints: [{ sourceVolume: 'scratch', containerPath: '/tmp/scratch' }],
            dockerLabels: { 'Some.Label_x': '1' },
            dependsOn: [{ containerName: 'log-router', condition: 'START' }],
          },
        ],
      }),
    )
    await ecs.send(
      new UpdateServiceCommand({
        cluster: service.cluster_arn,
        service: service.arn,
        taskDefinition: taskDefinition?.taskDefinitionArn,
      }),
    )
    await settled(org, service)

    const dry = await org.client.done<ModuleImport>(
      'POST',
      '/module-instances/import',
      await bodyOf(org, service.arn, { dryRun: true }),
    )
    expect(dry).not.toHaveProperty('moduleInstanceId')
    expect(dry.input).toMatchObject({
      container_name: 'app',
      environment_variables: { MODE: 'live', DB_PASSWORD: 'hunter2' },
      further_containers: [{ name: 'log-router' }],
      task_settings: { tags: [{ key: 'team', value: 'shop' }] },
    })
    // No other property differs.
    expect(dry.remarks.map(({ subject }) => subject)).toEqual(['deploymentCircuitBreaker', 'environment: DB_PASSWORD'])
    expect(await org.client.done<ModuleInstance[]>('GET', '/module-instances')).toEqual([])

    const { moduleInstanceId } = await imported(org, service.arn)
    const { id } = await org.deploy(moduleInstanceId, 'shop/app:2')
    const { deployedTaskDefinition } = ecsDataOf(await org.untilStatus(id, 'SUCCESS'))
    expect(deployedTaskDefinition?.definition).toMatchObject({
      runtimePlatform: { cpuArchitecture: 'ARM64' },
      volumes: [{ name: 'scratch' }],
      containerDefinitions: [
        {
          name: 'app',
          image: 'shop/app:2',
          command: ['serve', '<< not a template >>'],
          dockerLabels: { 'Some.Label_x': '1' },
        },
        { name: 'log-router' },
      ],
    })
  })

  test('with changed inputs lists what the next release changes', async () => {
    const org = await world.organization({ delivery: false })
    const service = await strangeService(org)
    const { remarks } = await org.client.done<ModuleImport>(
      'POST',
      '/module-instances/import',
      await bodyOf(org, service.arn, { dryRun: true, input: { memory: '1024', environment_variables: { A: 'b' } } }),
    )
    expect(remarks.map(({ subject }) => subject)).toEqual([
      'deploymentCircuitBreaker',
      'containerDefinitions[app].environment',
      'memory',
    ])
  })

  test('is imported once: a repeated request returns the same instance, another one is told who owns it', async () => {
    const org = await world.organization({ delivery: false })
    const service = await strangeService(org)
    const answers = await Promise.all([importOf(org, service.arn), importOf(org, service.arn)])
    const ids = answers.map(({ body }) => (body as { data: ModuleImport }).data.moduleInstanceId)
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 201])
    expect(new Set(ids).size).toBe(1)
    const again = await importOf(org, service.arn, { givenId: 'other' })
    expect(again).toMatchObject({ status: 409, body: { code: 'Sluice:ModuleInstances:IMPORT_TAKEN' } })
    expect((again.body as { message: string }).message).toContain('web (mi_')
    const known = await org.service()
    expect(await importOf(org, known.serviceArn, { givenId: 'another' })).toMatchObject({ status: 409 })
  })

  test('is not imported while a release is in progress', async () => {
    const org = await world.organization({ delivery: false })
    const service = await strangeService(org)
    await world.cloud.putImage({ pattern: 'shop/stuck:*', behaviour: 'hang' })
    const { ecs } = org.clients
    const { taskDefinition } = await ecs.send(
      new RegisterTaskDefinitionCommand({
        family: service.family,
        cpu: '256',
        memory: '512',
        networkMode: 'awsvpc',
        requiresCompatibilities: ['FARGATE'],
        executionRoleArn: service.execution_role_arn,
        containerDefinitions: [{ name: 'app', image: 'shop/stuck:1', portMappings: [{ containerPort: 8080 }] }],
      }),
    )
    const update = { cluster: service.cluster_arn, service: service.arn }
    await ecs.send(new UpdateServiceCommand({ ...update, taskDefinition: taskDefinition?.taskDefinitionArn }))
    const answer = await importOf(org, service.arn)
    expect(answer).toMatchObject({ status: 422, body: { code: 'Sluice:ModuleInstances:IMPORT_NOT_POSSIBLE' } })
    expect(JSON.stringify(answer.body)).toContain('a release is in progress')
  })

  test('that is missing, or in an account that is not connected, is rejected with the reason', async () => {
    const org = await world.organization({ delivery: false })
    const service = await strangeService(org)
    const gone = await importOf(org, `${service.arn}-x`)
    expect(gone).toMatchObject({ status: 422, body: { code: 'Sluice:ModuleInstances:IMPORT_ACCESS_DENIED' } })
    const other = await world.organization({ delivery: false })
    const foreign = await importOf(other, service.arn)
    expect(foreign).toMatchObject({ status: 422, body: { code: 'Sluice:Deployments:CLOUD_ACCOUNT_NOT_CONNECTED' } })
  })

  test('has no infrastructure in Sluice: nothing can be applied, and deleting the instance keeps the service', async () => {
    const org = await world.organization({ delivery: false })
    const service = await strangeService(org)
    const { moduleInstanceId } = await imported(org, service.arn)
    const applied = await org.client.ask('POST', '/module-instances/apply', { data: { ids: [moduleInstanceId] } })
    expect(applied).toMatchObject({ status: 422, body: { code: 'Sluice:ModuleInstances:STACK_NOT_AVAILABLE' } })
    const before = await callsSoFar(org)
    expect((await org.client.ask('DELETE', `/module-instances/${moduleInstanceId}`)).status).toBe(204)
    expect(await calledBySluice(org, before)).toEqual([])
    expect((await describeService(org, service))?.status).toBe('ACTIVE')
    // The service can be imported again.
    expect(await importOf(org, service.arn)).toMatchObject({ status: 201 })
  })

  test('with an external deployment during the import is detected after it', async () => {
    const org = await world.organization()
    const service = await strangeService(org)
    const { moduleInstanceId } = await imported(org, service.arn)
    await org.clients.ecs.send(
      new UpdateServiceCommand({
        cluster: service.cluster_arn,
        service: service.arn,
        forceNewDeployment: true,
      }),
    )
    const listed = () =>
      org.client.done<{ triggerSource: string; status: string }[]>(
        'GET',
        `/deployments?moduleInstanceId=${moduleInstanceId}`,
      )
    const all = await eventually('the release of others to be noticed', listed, ({ length }) => length === 2)
    expect(all.map(({ triggerSource }) => triggerSource)).toEqual(['EXTERNAL', 'EXTERNAL'])
  })
})

describe('a function', () => {
  async function strangeFunction(org: TestOrganization, code: 'zip' | 'image') {
    const name = `f${Math.random().toString(36).slice(2, 10)}`
    const image = `${org.accountNumber}.dkr.ecr.eu-west-1.amazonaws.com/${name}`
    const first = code === 'zip' ? { S3Bucket: `artifacts-${name}`, S3Key: 'v1.zip' } : { ImageUri: `${image}:v1` }
    const arn = await createFunction(org.clients.lambda, { name, accountNumber: org.accountNumber, code: first })
    const alias = async () => {
      const { FunctionVersion } = await org.clients.lambda.send(
        new GetAliasCommand({ FunctionName: arn, Name: 'live' }),
      )
      return FunctionVersion
    }
    return { name, arn, image, alias }
  }

  test.each(['zip', 'image'] as const)(
    'of %s is imported, released, and rolled back to its previous version',
    async (code) => {
      const org = await world.organization()
      const fn = await strangeFunction(org, code)
      const before = await callsSoFar(org)
      const bucket = code === 'zip' ? { input: { artifact_bucket: `artifacts-${fn.name}` } } : {}
      const made = await imported(org, fn.arn, bucket)
      expect(await calledBySluice(org, before)).toEqual(['GetFunction', 'ListAliases'])
      expect(made).toMatchObject({
        moduleType: 'imported-function',
        input: { function_arn: fn.arn, alias_name: 'live', package_type: code },
        running: { version: '1', what: `${fn.name}:1` },
      })
      expect(made.remarks.map(({ subject }) => subject)).toEqual(code === 'zip' ? ['artifact_bucket', 'Code'] : [])
      expect(await org.get(made.deploymentId)).toMatchObject({ status: 'SUCCESS', data: { version: '1' } })

      const { moduleInstanceId } = made
      const inputs = code === 'zip' ? { s3_key: 'v2.zip' } : { image_ref: 'v2' }
      const { id } = await org.client.done<{ id: string }>('POST', '/deployments', {
        data: { moduleInstanceId, description: 'Release v2', inputs },
      })
      await org.untilStatus(id, 'SUCCESS')
      expect(await fn.alias()).toBe('2')
      const back = await org.rollback(id)
      await org.untilStatus(back.id, 'SUCCESS')
      expect(await fn.alias()).toBe('1')
    },
  )

  test('whose version was deleted cannot be rolled back to it, and says so', async () => {
    const org = await world.organization()
    const fn = await strangeFunction(org, 'zip')
    const { moduleInstanceId } = await imported(org, fn.arn, { input: { artifact_bucket: `artifacts-${fn.name}` } })
    const { id } = await org.client.done<{ id: string }>('POST', '/deployments', {
      data: { moduleInstanceId, description: 'Release v2', inputs: { s3_key: 'v2.zip' } },
    })
    await org.untilStatus(id, 'SUCCESS')
    await org.clients.lambda.send(new DeleteFunctionCommand({ FunctionName: fn.arn, Qualifier: '1' }))
    const back = await org.rollback(id)
    const { error } = await org.untilStatus(back.id, 'ERROR')
    expect(error?.message).toContain('it ran when the function was imported')
    expect(await fn.alias()).toBe('2')
  })

  test('is listed, and asks for the alias if it has several', async () => {
    const org = await world.organization({ delivery: false })
    const fn = await strangeFunction(org, 'zip')
    const path = `/cloud-accounts/${org.cloudAccountId}/importable?type=cloud:lambda&region=eu-west-1`
    const found = await org.client.done<ImportableResource[]>('GET', path)
    expect(found).toEqual([{ type: 'cloud:lambda', resourceArn: fn.arn, name: fn.name, runs: 'nodejs22.x' }])
    await org.clients.lambda.send(new CreateAliasCommand({ FunctionName: fn.arn, Name: 'beta', FunctionVersion: '1' }))
    const answer = await importOf(org, fn.arn)
    expect(answer.status).toBe(422)
    expect(JSON.stringify(answer.body)).toContain('say which by aliasName')
    expect(await importOf(org, fn.arn, { aliasName: 'live' })).toMatchObject({ status: 201 })
    expect(await importOf(org, fn.arn, { aliasName: 'beta', givenId: 'beta' })).toMatchObject({ status: 201 })
    expect(await importOf(org, fn.arn, { aliasName: 'beta', givenId: 'more' })).toMatchObject({ status: 409 })
  })
})

test('a user without the permission to place modules can neither list nor import', async () => {
  const org = await world.organization({ delivery: false })
  const viewer = await org.member('VIEWER')
  const list = `/cloud-accounts/${org.cloudAccountId}/importable?type=cloud:ecs&region=eu-west-1`
  expect((await viewer.ask('GET', list)).status).toBe(403)
  const arn = `arn:aws:ecs:eu-west-1:${org.accountNumber}:service/a/b`
  expect((await viewer.ask('POST', '/module-instances/import', await bodyOf(org, arn))).status).toBe(403)
})

test('the services of an account are listed page by page, with the instances that release to them', async () => {
  const org = await world.organization({ delivery: false })
  const known = await org.service()
  const strange = [await strangeService(org), await strangeService(org), await strangeService(org)]
  const before = await callsSoFar(org)
  const found: ImportableResource[] = []
  let cursor = ''
  let pages = 0
  do {
    const query = `type=cloud:ecs&region=eu-west-1&limit=1${cursor && `&cursor=${cursor}`}`
    const { body } = await org.client.ask('GET', `/cloud-accounts/${org.cloudAccountId}/importable?${query}`)
    const page = body as { data: ImportableResource[]; meta: { nextCursor: string } }
    found.push(...page.data)
    cursor = page.meta.nextCursor
    pages += 1
  } while (cursor !== '')
  expect(pages).toBeGreaterThan(2)
  expect(found.map(({ resourceArn }) => resourceArn).sort()).toEqual(
    [known.serviceArn, ...strange.map(({ arn }) => arn)].sort(),
  )
  expect(found.find(({ resourceArn }) => resourceArn === known.serviceArn)?.moduleInstanceId).toBe(
    known.moduleInstanceId,
  )
  expect(found.find(({ resourceArn }) => resourceArn === strange[0]?.arn)).not.toHaveProperty('moduleInstanceId')
  expect(await calledBySluice(org, before)).toEqual(['DescribeServices', 'ListClusters', 'ListServices'])
  const other = await world.organization({ delivery: false })
  const path = `/cloud-accounts/${org.cloudAccountId}/importable?type=cloud:ecs&region=eu-west-1`
  expect((await other.client.ask('GET', path)).status).toBe(404)
})
