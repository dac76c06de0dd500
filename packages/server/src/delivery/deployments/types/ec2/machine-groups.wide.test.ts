import { DeleteAutoScalingGroupCommand, UpdateAutoScalingGroupCommand } from '@aws-sdk/client-auto-scaling'
import type { InfrastructureEvent } from '@sluice/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../../../testing/eventually.ts'
import {
  createGroup,
  describeGroup,
  groupDataOf,
  publishedOf,
  runsOf,
  untilReachable,
} from '../../../../testing/machine-group.ts'
import { startWorld, stepsOf, type World } from '../../../../testing/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

// Runs before the tests that move the cloud's clock, because events are found by their time.
test('a release to a group is found by the events of its command', async () => {
  const org = await world.organization()
  const group = await createGroup(world, org, { size: 1 })
  await untilReachable(org, group, 1)
  const { id } = await org.deploy(group.moduleInstanceId, 'shop/worker:2')
  const { resourceArn } = await org.untilStatus(id, 'SUCCESS')

  for (const filter of [`deploymentId=${id}`, `moduleInstanceId=${group.moduleInstanceId}`]) {
    const told = await eventually(
      'the events of the command',
      () => org.client.done<InfrastructureEvent[]>('GET', `/infrastructure-events?source=aws.ssm&${filter}`),
      (events) => events.some(({ detailType }) => detailType === 'EC2 Command Status-change Notification'),
    )
    expect(new Set(told.map((event) => event.resourceArn))).toEqual(new Set([resourceArn]))
  }
})

describe.concurrent('a release to a group of instances', () => {
  test('updates one instance at a time and is published for instances that start later', async () => {
    const org = await world.organization()
    const group = await createGroup(world, org)
    const ids = await untilReachable(org, group, 3)

    const { id } = await org.deploy(group.moduleInstanceId, 'shop/worker:2')
    const over = await org.untilStatus(id, 'SUCCESS')

    const data = groupDataOf(over)
    expect(stepsOf(over)).toEqual(['INIT', 'UPDATE_INSTANCES', 'PUBLISH_RELEASE', 'COMPLETED'])
    const release = { deploymentId: id, runtime: 'container', imageUri: 'shop/worker:2' }
    expect(data).toMatchObject({
      autoScalingGroupName: group.name,
      cloudAccountNumber: org.accountNumber,
      region: 'eu-west-1',
      documentName: `${group.name}-deploy`,
      concurrencyMax: 1,
      errorsMax: 0,
      deployedRelease: release,
    })
    expect(data.instances?.map(({ instanceId, status }) => [instanceId, status]).sort()).toEqual(
      ids.map((one) => [one, 'SUCCESS']).sort(),
    )
    const { AutoScalingGroupARN } = await describeGroup(org, group.name)
    const [command] = await org.calls('SendCommand')
    expect(over).toMatchObject({
      deploymentType: 'cloud:ec2',
      resourceName: group.name,
      resourceArn: AutoScalingGroupARN,
      externalDeploymentId: data.instances?.[0]?.commandId,
    })
    expect(command?.request).toMatchObject({
      DocumentName: `${group.name}-deploy`,
      MaxConcurrency: '1',
      MaxErrors: '0',
    })
    expect(await runsOf(world, group)).toEqual(Array(3).fill('shop/worker:2'))
    expect(await publishedOf(org, group)).toEqual(release)
  })

  test('updates as many instances at a time and tolerates as many failures as its module says', async () => {
    const org = await world.organization()
    const strategy = { type: 'rolling', concurrency_max: '50%', errors_max: '25%' }
    const group = await createGroup(world, org, { size: 4, strategy })
    await untilReachable(org, group, 4)
    const image = `shop/${group.name}:2`
    await world.cloud.putImage({ pattern: image, behaviour: 'crash', times: 1 })

    const { id } = await org.deploy(group.moduleInstanceId, image)
    const over = await org.untilStatus(id, 'SUCCESS')

    expect(groupDataOf(over)).toMatchObject({ concurrencyMax: 2, errorsMax: 1 })
    expect((await org.calls('SendCommand'))[0]?.request).toMatchObject({ MaxConcurrency: '2', MaxErrors: '1' })
    expect(
      groupDataOf(over)
        .instances?.map(({ status }) => status)
        .sort(),
    ).toEqual(['FAILED', ...Array(3).fill('SUCCESS')])
    expect(groupDataOf(over).events?.at(-1)?.message).toBe('3 of 4 instances run the new release.')
  })

  test('stops at the first failure and includes the output of the instance', async () => {
    const org = await world.organization()
    const group = await createGroup(world, org)
    await untilReachable(org, group, 3)

    const { id } = await org.deploy(group.moduleInstanceId, 'shop/worker:2-crash')
    const over = await org.untilStatus(id, 'ERROR')

    expect(over.error).toMatchObject({
      code: 'Sluice:Deployments:INSTANCES_FAILED',
      message: 'The release failed on 1 instance; 0 may fail.',
      details: [
        { title: 'Its last lines', items: expect.arrayContaining([expect.stringMatching(/ended with code 1\.$/)]) },
        { title: 'Failed instances', items: [expect.stringMatching(/^i-[0-9a-f]+ · Failed · exit code 1$/)] },
      ],
      metadata: { cause: expect.stringMatching(/^exit code 1 on i-[0-9a-f]+$/) },
      action: { url: expect.stringContaining(group.name) },
    })
    expect(groupDataOf(over).instances?.map(({ status }) => status)).toEqual(['FAILED', 'CANCELLED', 'CANCELLED'])
    expect(groupDataOf(over).instances?.[0]).toMatchObject({ exitCode: 1, output: expect.stringContaining('ended') })
    expect(groupDataOf(over).automaticRollback).toEqual({
      decision: 'CONSIDERED',
      reason: 'The module version does not require it.',
    })
    await expect(publishedOf(org, group)).rejects.toMatchObject({ name: 'ParameterNotFound' })
  })

  test('that fails restores the previous release if its module says so, and stays failed', async () => {
    const org = await world.organization()
    const strategy = { type: 'rolling', concurrency_max: '100%', automatic_rollback: true }
    const group = await createGroup(world, org, { strategy })
    await untilReachable(org, group, 3)
    const first = await org.deploy(group.moduleInstanceId, 'shop/worker:1')
    await org.untilStatus(first.id, 'SUCCESS')
    const image = `shop/${group.name}:2`
    await world.cloud.putImage({ pattern: image, behaviour: 'unhealthy', times: 1 })

    const { id } = await org.deploy(group.moduleInstanceId, image)
    const over = await org.untilStatus(id, 'ERROR')

    expect(over.error?.code).toBe('Sluice:Deployments:INSTANCES_FAILED')
    expect(stepsOf(over)).toEqual(['INIT', 'UPDATE_INSTANCES', 'ROLLBACK_STARTED', 'FAILED'])
    const { automaticRollback, previousRelease, instances = [] } = groupDataOf(over)
    expect(previousRelease).toEqual({ deploymentId: first.id, runtime: 'container', imageUri: 'shop/worker:1' })
    const begun = instances.filter(({ returned }) => returned !== undefined)
    expect(automaticRollback).toEqual({
      decision: 'TRIGGERED',
      reason: over.error?.message,
      release: previousRelease,
      commandId: begun[0]?.returned?.commandId,
      status: 'SUCCESS',
      instances: { total: begun.length, succeeded: begun.length, failed: 0 },
    })
    expect(await runsOf(world, group)).toEqual(Array(3).fill('shop/worker:1'))
    expect(await publishedOf(org, group)).toMatchObject({ deploymentId: first.id })
    expect(over.externalDeploymentId).toBe(begun[0]?.commandId)
  })

  test('that fails without a previous release says so', async () => {
    const org = await world.organization()
    const group = await createGroup(world, org, { strategy: { type: 'rolling', automatic_rollback: true } })
    await untilReachable(org, group, 3)
    const { id } = await org.deploy(group.moduleInstanceId, 'shop/worker:2-missing')
    const over = await org.untilStatus(id, 'ERROR')
    expect(groupDataOf(over).automaticRollback).toEqual({
      decision: 'CONSIDERED',
      reason: 'No earlier release is known to which to return.',
    })
  })

  test('of more instances than one command can have uses several commands', async () => {
    const org = await world.organization()
    const strategy = { type: 'rolling', concurrency_max: '100%' }
    const group = await createGroup(world, org, { size: 0, strategy })
    const { AutoScalingGroupName } = await describeGroup(org, group.name)
    const size = { MaxSize: 60, DesiredCapacity: 60 }
    await org.clients.autoScaling.send(new UpdateAutoScalingGroupCommand({ AutoScalingGroupName, ...size }))
    await world.cloud.advance(60)
    const { id } = await org.deploy(group.moduleInstanceId, 'shop/worker:2')
    const over = await org.untilStatus(id, 'SUCCESS')
    expect(groupDataOf(over).instances).toHaveLength(60)
    const counts = (await org.calls('SendCommand')).map(
      ({ request }) => (request as { Targets: { Values: string[] }[] }).Targets[0]?.Values.length,
    )
    expect(counts).toEqual([50, 10])
  })

  test('of an empty group is an error', async () => {
    const org = await world.organization()
    const group = await createGroup(world, org, { size: 0 })
    const { id } = await org.deploy(group.moduleInstanceId)
    expect((await org.untilStatus(id, 'ERROR')).error).toMatchObject({ code: 'Sluice:Deployments:NO_INSTANCES' })
    expect(await org.calls('SendCommand')).toEqual([])
  })

  test('of an unknown group is an error', async () => {
    const org = await world.organization()
    const group = await createGroup(world, org)
    const input = { AutoScalingGroupName: group.name, ForceDelete: true }
    await org.clients.autoScaling.send(new DeleteAutoScalingGroupCommand(input))
    const { id } = await org.deploy(group.moduleInstanceId)
    expect((await org.untilStatus(id, 'ERROR')).error).toMatchObject({
      code: 'Sluice:Deployments:CLOUD_REFUSED',
      message: `The cloud refused to show the group: There is no auto-scaling group ${group.name}.`,
    })
  })

  test('without the permission to send commands is an error', async () => {
    const org = await world.organization()
    const group = await createGroup(world, org)
    await untilReachable(org, group, 3)
    await org.deny('ssm:SendCommand')
    const { id } = await org.deploy(group.moduleInstanceId)
    expect((await org.untilStatus(id, 'ERROR')).error).toMatchObject({
      code: 'Sluice:Deployments:CLOUD_REFUSED',
      message: expect.stringContaining('ssm:SendCommand'),
    })
  })

  test('whose response was lost sends no second command', async () => {
    const org = await world.organization()
    const group = await createGroup(world, org, { size: 1 })
    await untilReachable(org, group, 1)
    await org.fault({ kind: 'drop-answer', operation: 'SendCommand', times: 1 })
    await org.fault({ kind: 'throttle', operation: 'ListCommands', times: 2 })
    const { id } = await org.deploy(group.moduleInstanceId)
    expect((await org.untilStatus(id, 'SUCCESS')).status).toBe('SUCCESS')
    expect(await org.calls('SendCommand', { accepted: true })).toHaveLength(1)
  })

  test('runs commands with the location of their files', async () => {
    const org = await world.organization()
    const source = { type: 'git', repo: 'https://git.example/shop', branch: '', ref: 'v2', base_path: null }
    const group = await createGroup(world, org, { size: 1, runtime: 'manual', deploy: { source } })
    await untilReachable(org, group, 1)
    const { id } = await org.deploy(group.moduleInstanceId, './install.sh')
    const over = await org.untilStatus(id, 'SUCCESS')
    expect((await org.calls('SendCommand'))[0]?.request).toMatchObject({
      Parameters: {
        commands: ['set -e\n./install.sh'],
        deployId: [id],
        sourceRepo: ['https://git.example/shop'],
        sourceBranch: [''],
        sourceRef: ['v2'],
        sourceBasePath: [''],
      },
    })
    expect(groupDataOf(over).deployedRelease).toEqual({
      deploymentId: id,
      runtime: 'manual',
      commands: ['set -e', './install.sh'],
      source: { repo: 'https://git.example/shop', ref: 'v2' },
    })
  })

  test('is repeated exactly, and the queue of its module applies', async () => {
    const org = await world.organization()
    const group = await createGroup(world, org, { size: 1 })
    await untilReachable(org, group, 1)
    const first = await org.deploy(group.moduleInstanceId, 'shop/worker:1')
    const second = await org.deploy(group.moduleInstanceId, 'shop/worker:2')
    await org.untilStatus(second.id, 'SUCCESS')
    expect((await org.get(first.id)).status).toBe('SUCCESS')
    const again = await org.redeploy(first.id)
    const over = await org.untilStatus(again.id, 'SUCCESS')
    expect(over).toMatchObject({ redeployOfDeploymentId: first.id, triggerSource: 'REDEPLOY' })
    expect(groupDataOf(over)).toMatchObject({
      deployedRelease: { deploymentId: again.id, imageUri: 'shop/worker:1' },
      previousRelease: { deploymentId: second.id, imageUri: 'shop/worker:2' },
    })
    expect(await runsOf(world, group)).toEqual(['shop/worker:1'])
  })

  test('has no pause to continue', async () => {
    const org = await world.organization()
    const group = await createGroup(world, org, { size: 1 })
    await untilReachable(org, group, 1)
    const { id } = await org.deploy(group.moduleInstanceId, 'shop/worker:2-hang')
    await org.untilStatus(id, 'IN_PROGRESS')
    const answer = await org.client.ask('POST', `/deployments/${id}/continue`, { data: {} })
    expect(answer).toMatchObject({ status: 422, body: { code: 'Sluice:Deployments:NOT_PAUSED' } })
    await org.cancel(id)
  })

  test('with an invalid block is rejected with every error', async () => {
    const org = await world.organization()
    const deploy = {
      definition: { runtime: 'container', image: 'shop/worker:2' },
      strategy: { type: 'rolling', concurrency_max: 'two', errors_max: 1 },
      infrastructure: { autoscaling_group_name: 'a b', cloud_account_id: 'ca_1' },
    }
    const group = await createGroup(world, org, { size: 0, deploy })
    const body = { data: { moduleInstanceId: group.moduleInstanceId, description: '', inputs: { image_ref: 'a' } } }
    const answer = await org.client.ask('POST', '/deployments', body)
    expect(answer).toMatchObject({ status: 422, body: { code: 'Sluice:Deployments:RELEASE_INVALID' } })
    const details = (answer.body as { details: { items: string[] }[] }).details
    expect(details[0]?.items).toEqual([
      'deploy.infrastructure.region: required, but missing',
      'deploy.infrastructure.autoscaling_group_name: expected text that matches ^[a-zA-Z0-9_.-]{1,120}$, such as shop-workers',
      'deploy.definition.image: unknown property; available: commands, image_uri, runtime',
      'deploy.strategy.concurrency_max: expected text that matches ^([1-9][0-9]{0,6}|[1-9][0-9]?%|100%)$, such as 25%',
      'deploy.strategy.errors_max: expected string, got number',
      'deploy.definition.image_uri is required for a container',
    ])
  })

  test('to an account that is not connected is rejected', async () => {
    const org = await world.organization()
    const infrastructure = { autoscaling_group_name: 'workers', cloud_account_id: 'ca_other', region: 'eu-west-1' }
    const group = await createGroup(world, org, { size: 0, deploy: { infrastructure } })
    const body = { data: { moduleInstanceId: group.moduleInstanceId, description: '', inputs: { image_ref: 'a' } } }
    expect(await org.client.ask('POST', '/deployments', body)).toMatchObject({
      status: 422,
      body: { code: 'Sluice:Deployments:CLOUD_ACCOUNT_NOT_CONNECTED', message: expect.stringContaining('ca_other') },
    })
  })
})
