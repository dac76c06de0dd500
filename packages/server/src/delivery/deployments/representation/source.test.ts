import { DescribeTasksCommand, ListTasksCommand } from '@aws-sdk/client-ecs'
import type { DeploymentData, DeploymentSource } from '@sluice/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { everyCase } from '../../../../../../testing/every-case.ts'
import { pipelineRuns } from '../../../pipelines/pipelines/tables.ts'
import { eq } from '../../../platform/db/drizzle.ts'
import { newId } from '../../../platform/ids.ts'
import { eventually } from '../../../testing/eventually.ts'
import { createOneOfEverything } from '../../../testing/resources.ts'
import { sharedWorld, type World } from '../../../testing/world.ts'
import { deployments } from '../store/tables.ts'
import type { Release } from '../types/release.ts'
import { sourceOf } from './source.ts'

const commit = 'a'.repeat(40)
const digest = `sha256:${'0'.repeat(64)}`
const pushed = { commit, branch: 'main', author: 'Ada', message: 'Add the cart', url: 'https://git.example.com/c' }

describe('the source of a release', () => {
  const release = { type: 'cloud:lambda' } as Release
  const data: DeploymentData = { type: 'cloud:lambda', functionArn: 'arn', aliasName: 'live' }
  const archive = { s3Bucket: 'code', s3Key: 'web.zip', codeSha256: 'x' }
  const image = { imageUri: `web:${commit}`, resolvedImageUri: `web:${commit}@${digest}` }
  const machines = (ref: string) =>
    ({
      type: 'cloud:ec2',
      definition: { runtime: 'manual', commands: [], source: { repo: 'https://git.example.com/web', ref } },
    }) as unknown as Release
  const group: DeploymentData = { type: 'cloud:ec2', autoScalingGroupName: 'web' }
  const repository = 'https://git.example.com/web'

  test('is the commit of its build before the pushed commit, unless both are the same', () => {
    const known = { release, data: { ...data, ...archive }, inputs: {} }
    const [other, repository] = ['c'.repeat(40), 'https://git.example.com/web']
    const object = { bucket: 'code', key: 'web.zip', sha256: 'x' }
    expect(sourceOf(known, { built: [{ commit: other, repository }], pushed })).toEqual({
      commit: other,
      repository,
      object,
    })
    const built = [
      { commit: other, repository },
      { commit, repository },
    ]
    expect(sourceOf(known, { built, pushed })).toEqual({ ...pushed, repository, object })
  })

  test(
    'includes as much as the data has',
    everyCase(
      [
        ['nothing that is known', { release, data, inputs: {} }, undefined, {}],
        ['what was pushed', { release, data, inputs: {} }, pushed, pushed],
        [
          'what its inputs name',
          { release, data, inputs: { commit: 'b'.repeat(7) } },
          pushed,
          { commit: 'b'.repeat(7) },
        ],
        ['what its inputs name in short', { release, data, inputs: { commit: 'a'.repeat(7) } }, pushed, pushed],
        ['an input that is no commit', { release, data, inputs: { commit: 'latest' } }, undefined, {}],
        [
          'an image by its digest, called by its commit',
          { release, data: { ...data, ...image }, inputs: {} },
          undefined,
          { commit, image: `web:${commit}@${digest}`, imageDigest: digest },
        ],
        [
          'an archive',
          { release, data: { ...data, ...archive }, inputs: {} },
          undefined,
          { object: { bucket: 'code', key: 'web.zip', sha256: 'x' } },
        ],
        ['a checkout', { release: machines(commit), data: group, inputs: {} }, undefined, { repository, commit }],
        ['a checkout of a tag', { release: machines('v1'), data: group, inputs: {} }, undefined, { repository }],
      ],
      (_what, known, commitOfRun, source) => {
        expect(sourceOf(known, { pushed: commitOfRun })).toEqual(source)
      },
    ),
  )
})

type Included = { source: DeploymentSource }

describe('GET /deployments?include=source', () => {
  let world: World
  beforeAll(async () => {
    world = await sharedWorld()
  })

  test('returns the pushed commit of a release, also for deployments that repeat it', async () => {
    const org = await world.organization()
    const { byPath, organizationId } = await createOneOfEverything(world.db, { organizationId: org.id })
    const payload = { commit, branch: 'main', author: 'Ada', message: 'Add the cart', committed_at: null }
    const of = { organizationId, pipelineId: byPath.pipelines ?? '', status: 'SUCCESS' } as const
    const begun = { pipelineVersionId: byPath['pipeline-versions'] ?? '', inputs: {}, triggerSource: 'PUSH' } as const
    const first = { id: newId('run'), trigger: { kind: 'push', payload } } as const
    const second = { id: newId('run'), trigger: { kind: 'pipeline', payload: { run: { id: first.id } } } } as const
    for (const run of [first, second])
      await world.db.insert(pipelineRuns).values({ ...of, ...begun, ...run, triggeredBy: 'ada' })
    const { moduleInstanceId } = await org.service()
    const { id } = await org.deploy(moduleInstanceId, 'shop/app:4.5.6')
    await world.db.update(deployments).set({ pipelineRunId: second.id }).where(eq(deployments.id, id))
    await org.untilStatus(id, 'SUCCESS')
    const again = await org.client.done<{ id: string }>('POST', `/deployments/${id}/redeploy`)

    const told = { commit, branch: 'main', author: 'Ada', message: 'Add the cart' }
    const one = await org.client.ask('GET', `/deployments/${id}?include=source`)
    expect(one.body).toMatchObject({ included: { source: { ...told, image: expect.stringContaining('4.5.6') } } })
    const all = await org.client.ask('GET', `/deployments?moduleInstanceId=${moduleInstanceId}&include=source`)
    expect(all.body).toMatchObject({ included: { source: { [id]: told, [again.id]: told } } })
  })

  test('returns the image that a tag resolved to, once the release has ended', async () => {
    const org = await world.organization()
    const { moduleInstanceId, serviceArn } = await org.service()
    const { id } = await org.deploy(moduleInstanceId, 'shop/app:4.5.6')
    await org.untilStatus(id, 'SUCCESS')

    const { source } = await eventually(
      'the digest to be known',
      async () => (await org.client.ask('GET', `/deployments/${id}?include=source`)).body as { included: Included },
      ({ included }) => included.source.imageDigest !== undefined,
    ).then(({ included }) => included)

    const cluster = serviceArn.split('/')[1]
    const { taskArns: tasks } = await org.clients.ecs.send(new ListTasksCommand({ cluster }))
    const { tasks: running } = await org.clients.ecs.send(new DescribeTasksCommand({ cluster, tasks }))
    const shown = running?.flatMap(({ containers = [] }) => containers.map(({ imageDigest }) => imageDigest))
    expect(shown).toContain(source.imageDigest)
    expect(source.image).toMatch(/:4\.5\.6$/)
  })
})
