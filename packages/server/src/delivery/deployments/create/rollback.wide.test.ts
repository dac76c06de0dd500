import { CreateLogGroupCommand, DeleteLogGroupCommand } from '@aws-sdk/client-cloudwatch-logs'
import { DeregisterTaskDefinitionCommand } from '@aws-sdk/client-ecs'
import type { Deployment, DeploymentRollback } from '@sluice/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { blueGreen, pausing } from '../../../testing/strategies.ts'
import { ecsDataOf, eventsOf, sharedWorld, stepsOf, type TestOrganization, type World } from '../../../testing/world.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})

const releaseOf = (deployment: Deployment) => ecsDataOf(deployment).deployedTaskDefinition?.arn

/** Creates a service with a successful release of every image. */
async function released(images: string[], strategy: Record<string, unknown> | null = null) {
  const org = await world.organization()
  const { moduleInstanceId } = await org.service(strategy)
  const done: Deployment[] = []
  for (const image of images) done.push(await org.continueToEnd((await org.deploy(moduleInstanceId, image)).id))
  expect(done.map(({ status }) => status)).toEqual(images.map(() => 'SUCCESS'))
  const [first, second = first] = done as [Deployment, Deployment?]
  return { org, moduleInstanceId, first, second }
}

/** Returns the task definitions that the service was updated to, in order. */
const updates = async (org: TestOrganization) =>
  (await org.calls('UpdateService', { accepted: true })).map(
    ({ request }) => (request as { taskDefinition?: string }).taskDefinition,
  )

const ask = (org: TestOrganization, id: string, data?: { toDeploymentId?: string }) =>
  org.client.ask('POST', `/deployments/${id}/rollback`, data && { data })

const pausingBeforeUsers = pausing(blueGreen, ['POST_TEST_TRAFFIC_SHIFT'])

/** Returns a task definition whose container writes to a log group. */
const loggingTo = (group: string) => ({
  family: 'logging',
  cpu: '256',
  memory: '512',
  network_mode: 'awsvpc',
  requires_compatibilities: ['FARGATE'],
  execution_role_arn: 'sluice-task-execution',
  container_definitions: [
    {
      name: 'app',
      image: '<< deploy.input.image_ref >>',
      port_mappings: [{ container_port: 8080 }],
      log_configuration: {
        log_driver: 'awslogs',
        options: { 'awslogs-group': group, 'awslogs-region': 'eu-west-1', 'awslogs-stream-prefix': 'ecs' },
      },
    },
  ],
})

describe.concurrent('a rollback', () => {
  test('of a success releases what the success before it released', async () => {
    const { org, first, second } = await released(['shop/app:2', 'shop/app:3'])

    const accepted = await org.rollback(second.id)
    expect(accepted).toMatchObject({
      status: 'PENDING',
      triggerSource: 'ROLLBACK',
      rollbackToDeploymentId: first.id,
      description: `Rollback of ${second.id}: Release shop/app:3`,
    })
    const done = await org.untilStatus(accepted.id, 'SUCCESS')

    expect(releaseOf(done)).toBe(releaseOf(first))
    expect((await updates(org)).at(-1)).toBe(releaseOf(first))
    expect((await org.get(second.id)).status).toBe('SUCCESS')
  })

  test('registers the task definition of its target again if it was deregistered', async () => {
    const { org, first, second } = await released(['shop/app:2', 'shop/app:3'])
    const taskDefinition = releaseOf(first) ?? ''
    await org.clients.ecs.send(new DeregisterTaskDefinitionCommand({ taskDefinition }))

    const done = await org.untilStatus((await org.rollback(second.id)).id, 'SUCCESS', 'ERROR')

    expect(done.error).toBeUndefined()
    const again = ecsDataOf(done).deployedTaskDefinition
    expect(again?.arn).not.toBe(taskDefinition)
    expect((await updates(org)).at(-1)).toBe(again?.arn)
    expect(again?.definition).toMatchObject({ containerDefinitions: [{ image: 'shop/app:2' }], status: 'ACTIVE' })
    const registered = eventsOf(done).find(({ stepCode }) => stepCode === 'REGISTER_RELEASE')
    expect(registered?.message).toMatch(/^\S+:\d+ was deregistered\. Registered its definition again as \S+:\d+\.$/)
  })

  /** Creates two releases that write to a log group, and removes the image of the first one. */
  async function releasedWithoutFirstImage() {
    const org = await world.organization({ deploy: { task_definition: loggingTo('/shop/web') } })
    await org.clients.logs.send(new CreateLogGroupCommand({ logGroupName: '/shop/web' }))
    const account = org.roleArn.split(':')[4] ?? ''
    const repository = { account, region: 'eu-west-1', name: 'shop/web' }
    const address = `${account}.dkr.ecr.eu-west-1.amazonaws.com/shop/web`
    const pushed = (tags: string[]) => tags.map((tag) => ({ tags: [tag], secondsAgo: 60 }))
    await world.cloud.putRepository({ ...repository, images: pushed(['1', '2']) })
    const { moduleInstanceId } = await org.service()
    const ids: string[] = []
    for (const tag of ['1', '2']) {
      const { id } = await org.deploy(moduleInstanceId, `${address}:${tag}`)
      expect(await org.untilStatus(id, 'SUCCESS', 'ERROR')).toMatchObject({ status: 'SUCCESS' })
      ids.push(id)
    }
    const sent = (await updates(org)).length
    await world.cloud.putRepository({ ...repository, images: pushed(['2']) })
    return { org, second: ids.at(-1) ?? '', firstImage: `${address}:1`, sent }
  }

  test('to a release whose image was removed reports it as a warning, and continues', async () => {
    const { org, second, firstImage, sent } = await releasedWithoutFirstImage()

    const { id } = await org.rollback(second)
    const seen = await org.until(id, 'updating the service', (one) => stepsOf(one).includes('UPDATE_SERVICE'))

    const warnings = eventsOf(seen).filter(({ stepCode }) => stepCode === 'WARNING')
    expect(
      warnings.map(({ message }) => message),
      'see imageWarnings in ecs/service-checks.ts',
    ).toEqual([expect.stringContaining(`The image ${firstImage} is not in its registry.`)])
    expect(await updates(org)).toHaveLength(sent + 1)
  })

  test('to a release whose log group was removed reports it, and changes nothing', async () => {
    const { org, second, sent } = await releasedWithoutFirstImage()
    await org.clients.logs.send(new DeleteLogGroupCommand({ logGroupName: '/shop/web' }))

    const done = await org.untilStatus((await org.rollback(second)).id, 'SUCCESS', 'ERROR')

    expect(done, 'see findMissingParts in cloud/adapter/ecs/release-parts.ts').toMatchObject({
      status: 'ERROR',
      error: {
        code: 'Sluice:Deployments:RELEASE_MISSING',
        message: expect.stringContaining('the log group /shop/web no longer exists.'),
        metadata: { logGroups: ['/shop/web'] },
      },
    })
    expect(await updates(org)).toHaveLength(sent)
  })

  test('never waits: it has no pauses', async () => {
    const { org, second } = await released(['shop/app:2', 'shop/app:3'], pausingBeforeUsers)

    const done = await org.untilStatus((await org.rollback(second.id)).id, 'SUCCESS', 'ERROR', 'ROLLED_BACK')

    expect(done.status).toBe('SUCCESS')
    expect(stepsOf(done)).not.toContain('PAUSED')
  })

  test("of a release in progress is the cloud's own rollback, without a second release", async () => {
    const { org, moduleInstanceId, first } = await released(['shop/app:2'], pausingBeforeUsers)
    const bad = await org.deploy(moduleInstanceId, 'shop/app:4')
    await org.untilPaused(bad.id)
    expect(ecsDataOf(await org.get(bad.id)).serviceDeploymentState?.acceptsNativeStandbyRevert).toBe(true)

    const { id } = await org.rollback(bad.id)
    const done = await org.untilStatus(id, 'SUCCESS', 'ERROR')
    const turned = await org.get(bad.id)

    expect(turned).toMatchObject({
      status: 'ROLLED_BACK',
      error: {
        code: 'Sluice:Deployments:ROLLED_BACK_ON_REQUEST',
        message: expect.stringMatching(new RegExp(`^owner@.* asked to return to the release of ${first.id}\\.$`)),
        metadata: { rollbackDeploymentId: id, rollbackToDeploymentId: first.id },
      },
    })
    const data = ecsDataOf(turned)
    expect(data).toMatchObject({
      revertServiceDeploymentArn: data.serviceDeploymentArn,
      revertExternalDeploymentId: first.externalDeploymentId,
      revertRequestedAt: expect.any(String),
    })
    expect(done.status).toBe('SUCCESS')
    expect(done.externalDeploymentId).toBe(first.externalDeploymentId)
    expect(stepsOf(done)).toEqual(['QUEUED', 'INIT', 'COMPLETED'])
    expect(await updates(org)).toHaveLength(2)
  })

  test('of a rolling release in progress restores the old tasks', async () => {
    const { org, moduleInstanceId, first } = await released(['shop/app:2'])
    const bad = await org.deploy(moduleInstanceId, 'shop/app:4-hang')
    await org.until(bad.id, 'scaling up', (seen) => stepsOf(seen).includes('SCALE_UP'))

    const done = await org.untilStatus((await org.rollback(bad.id)).id, 'SUCCESS', 'ERROR')

    expect(done.status).toBe('SUCCESS')
    expect(releaseOf(done)).toBe(releaseOf(first))
    expect((await org.get(bad.id)).status).toBe('ROLLED_BACK')
  })

  test('of a release in progress to an older release than the previous one releases that one', async () => {
    const { org, moduleInstanceId, first } = await released(['shop/app:2', 'shop/app:3'], pausingBeforeUsers)
    const bad = await org.deploy(moduleInstanceId, 'shop/app:4')
    await org.untilPaused(bad.id)

    const { id } = await org.rollback(bad.id, first.id)
    await org.untilStatus(id, 'SUCCESS')

    expect((await org.get(bad.id)).status).toBe('ROLLED_BACK')
    expect((await updates(org)).at(-1)).toBe(releaseOf(first))
  })

  test('to the release that the service runs already succeeds without a change', async () => {
    const { org, first, second } = await released(['shop/app:2', 'shop/app:3'])
    await org.untilStatus((await org.rollback(second.id)).id, 'SUCCESS')

    const again = await org.untilStatus((await org.rollback(second.id)).id, 'SUCCESS')

    expect(again.rollbackToDeploymentId).toBe(first.id)
    expect(stepsOf(again)).toEqual(['INIT', 'COMPLETED'])
    expect(await updates(org)).toHaveLength(3)
  })

  test('that two users request at once is accepted once, and the second request is told the id of the first', async () => {
    const { org, moduleInstanceId } = await released(['shop/app:2'], pausingBeforeUsers)
    const bad = await org.deploy(moduleInstanceId, 'shop/app:4')
    await org.untilPaused(bad.id)

    const answers = await Promise.all([ask(org, bad.id), ask(org, bad.id)])

    const accepted = answers.find(({ status }) => status === 201) ?? answers[0]
    const refused = answers.find(({ status }) => status !== 201)
    const { id } = (accepted.body as { data: Deployment }).data
    expect(refused).toMatchObject({
      status: 422,
      body: { code: 'Sluice:Deployments:ROLLBACK_IN_PROGRESS', message: expect.stringContaining(id) },
    })
    expect((await org.untilStatus(id, 'SUCCESS')).status).toBe('SUCCESS')
  })

  test('goes before queued deployments without superseding them', async () => {
    const { org, moduleInstanceId } = await released(['shop/app:2'], pausingBeforeUsers)
    const bad = await org.deploy(moduleInstanceId, 'shop/app:4')
    await org.untilPaused(bad.id)
    const waiting = await org.deploy(moduleInstanceId, 'shop/app:5')

    const { id } = await org.rollback(bad.id)
    const rollback = await org.untilStatus(id, 'SUCCESS')
    const next = await org.continueToEnd(waiting.id)

    expect(next.status).toBe('SUCCESS')
    expect(Date.parse(next.startedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(rollback.completedAt ?? ''))
  })
})

describe.concurrent('a rollback is rejected', () => {
  test('if there is no earlier success', async () => {
    const { org, first } = await released(['shop/app:2'])
    expect(await ask(org, first.id)).toMatchObject({
      status: 422,
      body: { code: 'Sluice:Deployments:NO_EARLIER_RELEASE' },
    })
  })

  test('if the deployment is queued', async () => {
    const { org, moduleInstanceId } = await released(['shop/app:2'], pausingBeforeUsers)
    const running = await org.deploy(moduleInstanceId, 'shop/app:3')
    await org.untilPaused(running.id)
    const waiting = await org.deploy(moduleInstanceId, 'shop/app:4')

    expect(await ask(org, waiting.id)).toMatchObject({
      status: 422,
      body: { code: 'Sluice:Deployments:NOTHING_CHANGED' },
    })
    expect((await org.get(waiting.id)).status).toBe('PENDING')
  })

  test.each([
    ['itself', ({ second }: { second: Deployment }) => second.id, 'it is the deployment that is to be rolled back'],
    ['nothing that there is', () => 'dep_nobody', 'there is no such deployment'],
  ])('to %s', async (_what, to, why) => {
    const { org, second } = await released(['shop/app:2', 'shop/app:3'])
    const toDeploymentId = to({ second })
    const answer = await ask(org, second.id, { toDeploymentId })
    expect(answer).toMatchObject({
      status: 422,
      body: {
        code: 'Sluice:Deployments:ROLLBACK_TARGET_INVALID',
        message: `Cannot roll back to ${toDeploymentId}: ${why}.`,
      },
    })
  })

  test('to a deployment of another instance or a failed one, and for a viewer', async () => {
    const { org, moduleInstanceId, first, second } = await released(['shop/app:2', 'shop/app:3'])
    const other = await org.service()
    const elsewhere = await org.untilStatus((await org.deploy(other.moduleInstanceId)).id, 'SUCCESS')
    const crashed = await org.untilStatus((await org.deploy(moduleInstanceId, 'shop/app:4-crash')).id, 'ROLLED_BACK')

    for (const toDeploymentId of [elsewhere.id, crashed.id]) {
      const answer = await ask(org, second.id, { toDeploymentId })
      expect(answer).toMatchObject({ status: 422, body: { code: 'Sluice:Deployments:ROLLBACK_TARGET_INVALID' } })
    }
    const viewer = await org.member('VIEWER')
    const answer = await viewer.ask('POST', `/deployments/${second.id}/rollback`)
    expect(answer.status).toBe(403)
    expect((await org.get(first.id)).status).toBe('SUCCESS')
  })
})

const rollbackOf = async (org: TestOrganization, id: string): Promise<DeploymentRollback | undefined> => {
  const { body } = await org.client.ask('GET', `/deployments/${id}?include=rollback`)
  return (body as { included?: { rollback?: DeploymentRollback } }).included?.rollback
}

describe.concurrent('a rollback cannot release anything new', () => {
  test('past a hold, a freeze, an approval rule and a policy that block the newer release', async () => {
    const { org, moduleInstanceId, first, second } = await released(['shop/app:2', 'shop/app:3'])
    const { client } = org
    const back = await org.untilStatus((await org.rollback(second.id)).id, 'SUCCESS')
    const gates = [
      ['/holds', { moduleInstanceId, reason: 'Prices are wrong in 3.' }],
      ['/approval-rules', { moduleInstanceId, name: 'Two', requiredApprovals: 2, excludeStarter: true }],
      [
        '/freezes',
        {
          moduleInstanceId,
          name: 'Quiet',
          reason: 'Away.',
          stops: ['RELEASES'],
          onRelease: 'REJECT',
          window: { cron: '0 0 * * *', minutes: 1440, timeZone: 'UTC' },
        },
      ],
      [
        '/policies',
        {
          moduleInstanceId,
          name: 'Not 3',
          message: 'Not 3.',
          guards: 'DEPLOYMENTS',
          expression: "deployment.images.all(image, image.tag != '3')",
        },
      ],
    ] as const
    for (const [path, data] of gates) await client.done('POST', path, { data })
    const developer = await org.member('DEVELOPER')
    const ask = (id: string, what: string, data = {}) => developer.ask('POST', `/deployments/${id}/${what}`, { data })
    expect((await developer.ask('POST', `/deployments/${second.id}/redeploy`)).status).toBe(422)

    for (const answer of [
      await ask(back.id, 'rollback'),
      await ask(first.id, 'rollback', { toDeploymentId: second.id }),
      await ask(second.id, 'rollback', { toDeploymentId: second.id }),
      await ask(back.id, 'rollback', { toDeploymentId: second.id }),
    ]) {
      expect(answer.status, `a rollback led forward past every gate: look at rollback.ts`).toBe(422)
    }
    expect(await ask(back.id, 'rollback')).toMatchObject({
      body: {
        code: 'Sluice:Deployments:ROLLBACK_TARGET_NEWER',
        message: `Cannot roll back to ${second.id}: its release is newer than that of ${back.id}, which is serving traffic.`,
        description: expect.stringContaining(`POST /deployments/${second.id}/redeploy`),
        metadata: { toDeploymentId: second.id, liveDeploymentId: back.id },
      },
    })
    expect((await updates(org)).at(-1)).toBe(releaseOf(first))
    // A rollback to the older release is still possible.
    expect((await ask(back.id, 'rollback', { toDeploymentId: first.id })).status).toBe(201)
  })

  test('and cannot lead to a release that was not live before, and its possible targets are listed in advance', async () => {
    const images = ['shop/app:2', 'shop/app:3', 'shop/app:4']
    const { org, moduleInstanceId, first, second } = await released(images)
    const listed = await org.client.done<Deployment[]>('GET', `/deployments?moduleInstanceId=${moduleInstanceId}`)
    const third = listed[0]?.id ?? ''
    expect(await rollbackOf(org, third)).toEqual({ toDeploymentId: second.id, targets: [second.id, first.id] })
    expect(await ask(org, first.id, { toDeploymentId: second.id })).toMatchObject({
      status: 422,
      body: {
        code: 'Sluice:Deployments:ROLLBACK_TARGET_INVALID',
        message: `Cannot roll back to ${second.id}: it was not live before ${first.id}.`,
      },
    })

    const back = await org.untilStatus((await org.rollback(third)).id, 'SUCCESS')
    expect(await rollbackOf(org, back.id)).toEqual({
      error: {
        code: 'Sluice:Deployments:ROLLBACK_TARGET_NEWER',
        message: expect.stringContaining(`Cannot roll back to ${third}`),
      },
      targets: [second.id, first.id],
    })
    // Deployed and rolled back again, it leads to the release that was live in between: the second.
    const again = await org.untilStatus((await org.redeploy(third)).id, 'SUCCESS')
    expect(await rollbackOf(org, again.id)).toMatchObject({ toDeploymentId: back.id })
  })

  test('ends with a reason if an older release became live while it was queued', async () => {
    const { org, moduleInstanceId, first, second } = await released(
      ['shop/app:2', 'shop/app:3', 'shop/app:4'],
      pausingBeforeUsers,
    )
    const [third] = await org.client.done<Deployment[]>('GET', `/deployments?moduleInstanceId=${moduleInstanceId}`)
    const running = await org.deploy(moduleInstanceId, 'shop/app:5')
    await org.untilPaused(running.id)
    const older = await org.rollback(third?.id ?? '', first.id)
    const newer = await org.rollback(third?.id ?? '', second.id)
    await org.cancel(running.id)

    const back = await org.untilStatus(older.id, 'SUCCESS')
    expect(await org.untilStatus(newer.id, 'CANCELLED', 'SUCCESS')).toMatchObject({
      status: 'CANCELLED',
      error: {
        code: 'Sluice:Deployments:ROLLBACK_OVERTAKEN',
        metadata: { toDeploymentId: second.id, liveDeploymentId: back.id },
      },
    })
    expect((await updates(org)).at(-1)).toBe(releaseOf(first))
  })
})
