import {
  DeregisterTaskDefinitionCommand,
  DescribeTaskDefinitionCommand,
  RegisterTaskDefinitionCommand,
  TagResourceCommand,
} from '@aws-sdk/client-ecs'
import { beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../../../testing/eventually.ts'
import { updateService } from '../../../../testing/service-updates.ts'
import { blueGreen } from '../../../../testing/strategies.ts'
import {
  ecsDataOf,
  eventsOf,
  sharedWorld,
  stepsOf,
  type TestOrganization,
  type World,
} from '../../../../testing/world.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})

/** First container of the tests' module. */
const container = 'app'
const running = (...command: string[]) => ({ container_overrides: [{ name: container, command }] })

async function deployed(deploy: Record<string, unknown>, strategy: Record<string, unknown> | null = null) {
  const org = await world.organization({ deploy })
  const { moduleInstanceId } = await org.service(strategy)
  const { id } = await org.deploy(moduleInstanceId)
  return { org, moduleInstanceId, id }
}

const taskDefinitionsSent = async (org: TestOrganization, operation: string) =>
  (await org.calls(operation, { accepted: true })).map(
    ({ request }) => (request as { taskDefinition?: string }).taskDefinition,
  )

/** Waits until the command is running. */
const untilCommandRuns = (org: TestOrganization) =>
  eventually(
    'the command to be asked for',
    () => org.calls('RunTask', { accepted: true }),
    (calls) => calls.length > 0,
  )

describe.concurrent('a command before the release', () => {
  test('runs on the new revision, and the service is changed only after the command succeeded', async () => {
    const { org, id } = await deployed({ pre_deploy: running('migrate', '--all') })

    const done = await org.untilStatus(id, 'SUCCESS')

    expect(ecsDataOf(done)).toMatchObject({ preDeployEnabled: true, postDeployEnabled: false })
    expect(stepsOf(done).slice(0, 4)).toEqual(['INIT', 'REGISTER_RELEASE', 'PRE_DEPLOY', 'UPDATE_SERVICE'])
    const arn = ecsDataOf(done).deployedTaskDefinition?.arn
    expect(await taskDefinitionsSent(org, 'RunTask')).toEqual([arn])
    const [asked] = await org.calls('RunTask')
    expect(asked?.request).toMatchObject({
      clientToken: `${id}/pre-deploy`,
      overrides: { containerOverrides: [{ name: container, command: ['migrate', '--all'] }] },
    })
  })

  test('gets the volume that the service configures at launch', async () => {
    const fargate = { cpu: '256', memory: '512' }
    const task_definition = {
      ...fargate,
      family: '<< module.input.family >>',
      network_mode: 'awsvpc',
      requires_compatibilities: ['FARGATE'],
      container_definitions: [
        { name: 'app', image: '<< deploy.input.image_ref >>', port_mappings: [{ container_port: 8080 }] },
      ],
      volumes: [{ name: 'data', configured_at_launch: true }],
    }
    const org = await world.organization({ deploy: { pre_deploy: running('migrate'), task_definition } })
    const service = await org.service()
    const registration = new RegisterTaskDefinitionCommand({
      ...fargate,
      family: `${service.input.family}-stored`,
      networkMode: 'awsvpc',
      requiresCompatibilities: ['FARGATE'],
      containerDefinitions: [{ name: 'app', image: 'shop/app:1', portMappings: [{ containerPort: 8080 }] }],
      volumes: [{ name: 'data', configuredAtLaunch: true }],
    })
    const { taskDefinition } = await org.clients.ecs.send(registration)
    const roleArn = `arn:aws:iam::${org.accountNumber}:role/volumes`
    const volumeConfigurations = [{ name: 'data', managedEBSVolume: { roleArn, sizeInGiB: 10 } }]
    await updateService(org, service, {
      taskDefinition: taskDefinition?.taskDefinitionArn ?? '',
      volumeConfigurations,
    })

    await org.untilStatus((await org.deploy(service.moduleInstanceId)).id, 'SUCCESS')

    const [asked] = await org.calls('RunTask', { accepted: true })
    expect(asked?.request).toMatchObject({ volumeConfigurations })
    const updates = await org.calls('UpdateService', { accepted: true })
    expect(updates.at(-1)?.request).not.toHaveProperty('volumeConfigurations')
  })

  test('that fails ends the deployment with its exit code and leaves the service unchanged', async () => {
    const { org, id } = await deployed({ pre_deploy: running('sh', '-c', 'exit 3') })

    const over = await org.untilStatus(id, 'ERROR')

    expect(over.error).toMatchObject({
      code: 'Sluice:Deployments:PRE_DEPLOY_FAILED',
      message: 'The command before the release ended with the exit code 3, so the service was not changed.',
      description: 'EssentialContainerExited: Essential container in task exited',
    })
    expect(await org.calls('UpdateService')).toEqual([])
  })

  test('that fails reports its last log lines', async () => {
    const place = { 'awslogs-group': '/shop', 'awslogs-create-group': 'true', 'awslogs-region': 'eu-west-1' }
    const options = { ...place, 'awslogs-stream-prefix': 'ecs' }
    const log_configuration = { log_driver: 'awslogs', options }
    const containers = [
      { name: container, image: 'shop/app:2', log_configuration, port_mappings: [{ container_port: 8080 }] },
    ]
    const task_definition = {
      family: 'logging',
      cpu: '256',
      memory: '512',
      network_mode: 'awsvpc',
      requires_compatibilities: ['FARGATE'],
      execution_role_arn: 'sluice-task-execution',
      container_definitions: containers,
    }
    const { org, id } = await deployed({ task_definition, pre_deploy: running('sh', '-c', 'exit 3') })

    const over = await org.untilStatus(id, 'ERROR')

    expect(over.error?.details).toMatchObject([
      {
        title: 'Its last lines',
        render: 'list',
        items: [expect.stringContaining('running'), expect.stringContaining('"exitCode":3')],
      },
    ])
  })

  test('whose image cannot be pulled reports that it did not run, and why', async () => {
    const org = await world.organization({ deploy: { pre_deploy: running('migrate') } })
    const { moduleInstanceId } = await org.service()
    const { id } = await org.deploy(moduleInstanceId, 'shop/app:2-missing')

    const over = await org.untilStatus(id, 'ERROR')

    expect(over.error?.message).toBe('The command before the release did not run, so the service was not changed.')
    expect(over.error?.description).toContain('CannotPullContainerError')
  })

  test('that exceeds its timeout is stopped and counts as failed', async () => {
    const { org, id } = await deployed({ pre_deploy: { ...running('sleep 100000'), timeout: 1 } })

    const over = await org.untilStatus(id, 'ERROR')

    expect(over.error?.message).toBe(
      'The command before the release did not end within 1 s and was stopped, so the service was not changed.',
    )
    expect(await org.calls('StopTask', { accepted: true })).toHaveLength(1)
  })

  test('is stopped by a cancel, and the deployment ends after it', async () => {
    const { org, id } = await deployed({ pre_deploy: running('sleep 100000') })
    await org.until(id, 'running its command', (seen) => stepsOf(seen).includes('PRE_DEPLOY'))

    await org.cancel(id)
    const over = await org.untilStatus(id, 'CANCELLED')

    expect(over.error?.code).toBe('Sluice:Deployments:CANCELLED')
    expect(await org.calls('StopTask', { accepted: true })).toHaveLength(1)
    expect(await org.calls('UpdateService')).toEqual([])
  })

  test('waits for capacity of the cloud', async () => {
    const org = await world.organization({ deploy: { pre_deploy: running('migrate') } })
    const { moduleInstanceId } = await org.service()
    const image = `shop/scarce-${org.accountNumber}:2`
    await world.cloud.putImage({ pattern: image, behaviour: 'no-capacity', times: 2 })

    const { id } = await org.deploy(moduleInstanceId, image)

    expect((await org.untilStatus(id, 'SUCCESS')).status).toBe('SUCCESS')
    expect(await org.calls('RunTask')).toHaveLength(3)
  })

  test('whose response is lost is found again instead of started twice', async () => {
    const org = await world.organization({ deploy: { pre_deploy: running('migrate') } })
    const { moduleInstanceId } = await org.service()
    await org.fault({ kind: 'drop-answer', operation: 'RunTask', times: 1 })

    const { id } = await org.deploy(moduleInstanceId)
    const done = await org.untilStatus(id, 'SUCCESS')

    expect(stepsOf(done).filter((step) => step === 'PRE_DEPLOY')).toHaveLength(1)
    expect(await org.calls('RunTask')).toHaveLength(1)
  })
})

describe.concurrent('a command after the release', () => {
  test('runs when the new version is live, and must succeed for the deployment to succeed', async () => {
    const { org, id } = await deployed({ post_deploy: running('smoke-test') }, blueGreen)

    const done = await org.untilStatus(id, 'SUCCESS')

    expect(stepsOf(done).slice(-3)).toEqual(['CLEAN_UP', 'POST_DEPLOY', 'COMPLETED'])
    expect(ecsDataOf(done).postDeployEnabled).toBe(true)
  })

  test('that fails ends the deployment, and the new version stays', async () => {
    const { org, id } = await deployed({ post_deploy: running('exit 9') })

    const over = await org.untilStatus(id, 'ERROR')

    expect(over.error).toMatchObject({
      code: 'Sluice:Deployments:POST_DEPLOY_FAILED',
      message: 'The command after the release ended with the exit code 9.',
    })
    expect(await taskDefinitionsSent(org, 'UpdateService')).toEqual([ecsDataOf(over).deployedTaskDefinition?.arn])
  })

  test.each([
    ['rolling', null],
    ['blue/green', blueGreen],
  ])('%s: a failure rolls back the release if the module says so', async (_name, strategy) => {
    const { org, id } = await deployed({ post_deploy: { ...running('exit 9'), failure_action: 'ROLLBACK' } }, strategy)

    const over = await org.untilStatus(id, 'ROLLED_BACK')

    const data = ecsDataOf(over)
    expect(over.error?.code).toBe('Sluice:Deployments:POST_DEPLOY_FAILED')
    expect(await taskDefinitionsSent(org, 'UpdateService')).toEqual([
      data.deployedTaskDefinition?.arn,
      data.previousTaskDefinition?.arn,
    ])
    expect(data.revertExternalDeploymentId).toMatch(/^ecs-svc\/\d+$/)
    expect(data.revertServiceDeploymentArn).not.toBe(data.serviceDeploymentArn)
    expect(data.revertRequestedAt).toBeDefined()
    expect(eventsOf(over).at(-1)).toMatchObject({ stepCode: 'ROLLED_BACK', message: 'The version before runs again.' })
  })

  test('restores the previous version after a cancel, even if its task definition was deregistered', async () => {
    const { org, id } = await deployed({ post_deploy: running('sleep 100000') })
    await untilCommandRuns(org)
    const before = ecsDataOf(await org.get(id)).previousTaskDefinition
    const tags = [{ key: 'team', value: 'shop' }]
    await org.clients.ecs.send(new TagResourceCommand({ resourceArn: before?.arn, tags }))
    await org.clients.ecs.send(new DeregisterTaskDefinitionCommand({ taskDefinition: before?.arn }))

    await org.cancel(id)
    const over = await org.untilStatus(id, 'ROLLED_BACK', 'ERROR')

    expect(over).toMatchObject({ status: 'ROLLED_BACK', error: { code: 'Sluice:Deployments:CANCELLED' } })
    const { deployedTaskDefinition, previousTaskDefinition: again } = ecsDataOf(over)
    expect(again?.arn).not.toBe(before?.arn)
    expect(again?.definition).toMatchObject({ containerDefinitions: before?.definition.containerDefinitions })
    expect(await taskDefinitionsSent(org, 'UpdateService')).toEqual([deployedTaskDefinition?.arn, again?.arn])
    const restored = new DescribeTaskDefinitionCommand({ taskDefinition: again?.arn, include: ['TAGS'] })
    expect((await org.clients.ecs.send(restored)).tags).toEqual(expect.arrayContaining(tags))
    expect(stepsOf(over).filter((step) => step === 'REGISTER_RELEASE')).toHaveLength(1)
    const warnings = eventsOf(over).filter(({ stepCode }) => stepCode === 'WARNING')
    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^\S+:\d+ was deregistered\. Registered its definition again as \S+:\d+\.$/),
    ])
  })

  test('restores the previous version after a cancel, and names its image that was removed', async () => {
    const task_definition = {
      family: '<< module.input.family >>',
      cpu: '256',
      memory: '512',
      network_mode: 'awsvpc',
      requires_compatibilities: ['FARGATE'],
      execution_role_arn: 'sluice-task-execution',
      container_definitions: [
        { name: container, image: '<< deploy.input.image_ref >>', port_mappings: [{ container_port: 8080 }] },
      ],
    }
    const org = await world.organization({ deploy: { post_deploy: running('sleep 100000'), task_definition } })
    const repository = { account: org.accountNumber, region: 'eu-west-1', name: 'shop/app' }
    const address = `${org.accountNumber}.dkr.ecr.eu-west-1.amazonaws.com/shop/app`
    const pushed = (...tags: string[]) => tags.map((tag) => ({ tags: [tag], secondsAgo: 60 }))
    await world.cloud.putRepository({ ...repository, images: pushed('1', '2') })
    const service = await org.service()
    const registration = new RegisterTaskDefinitionCommand({
      family: `${service.input.family}-stored`,
      cpu: '256',
      memory: '512',
      networkMode: 'awsvpc',
      requiresCompatibilities: ['FARGATE'],
      executionRoleArn: 'sluice-task-execution',
      containerDefinitions: [{ name: container, image: `${address}:1`, portMappings: [{ containerPort: 8080 }] }],
    })
    const { taskDefinition } = await org.clients.ecs.send(registration)
    await updateService(org, service, { taskDefinition: taskDefinition?.taskDefinitionArn ?? '' })
    const { id } = await org.deploy(service.moduleInstanceId, `${address}:2`)
    await untilCommandRuns(org)
    await world.cloud.putRepository({ ...repository, images: pushed('2') })

    await org.cancel(id)

    const warned = await org.until(id, 'a warning', (one) => stepsOf(one).includes('WARNING'))
    expect(eventsOf(warned).find(({ stepCode }) => stepCode === 'WARNING')?.message).toMatch(
      new RegExp(`^The image ${address}:1 is not in its registry\\..* The rollback continues\\.$`),
    )
  })

  test('is stopped by a cancel, and the previous version is restored', async () => {
    const { org, id } = await deployed({ post_deploy: running('sleep 100000') })
    await untilCommandRuns(org)

    await org.cancel(id)
    const over = await org.untilStatus(id, 'ROLLED_BACK')

    expect(over.error?.code).toBe('Sluice:Deployments:CANCELLED')
    expect((await taskDefinitionsSent(org, 'UpdateService')).at(-1)).toBe(ecsDataOf(over).previousTaskDefinition?.arn)
  })

  test('that the cloud rejects leaves the new version live and is reported', async () => {
    const org = await world.organization({ deploy: { post_deploy: running('smoke-test') } })
    const { moduleInstanceId } = await org.service()
    await org.deny('ecs:RunTask')

    const { id } = await org.deploy(moduleInstanceId)
    const over = await org.untilStatus(id, 'ERROR')

    expect(over.error).toMatchObject({
      code: 'Sluice:Deployments:POST_DEPLOY_FAILED',
      message: 'The command after the release could not be run.',
    })
  })
})
