import { GetDistributionConfigCommand, UpdateDistributionCommand } from '@aws-sdk/client-cloudfront'
import type { Deployment } from '@sluice/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { createTestSite, staticDataOf } from '../../../../testing/static-site.ts'
import { eventsOf, sharedWorld, stepsOf, type World } from '../../../../testing/world.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})

describe.concurrent('a static site deployment', () => {
  test('serves its directory, invalidates the caches and waits for that', async () => {
    const org = await world.organization()
    const site = await createTestSite(world, org, { paths: ['/*'], active: 'r/1' })

    const accepted = await site.deploy('r/2')
    expect(accepted).toMatchObject({
      status: 'PENDING',
      deploymentType: 'cloud:static',
      resourceArn: site.site.distribution_id,
      resourceName: site.site.distribution_id,
    })
    const done = await org.untilStatus(accepted.id, 'SUCCESS')

    expect(await site.active()).toBe('r/2')
    const [invalidation] = await org.calls('CreateInvalidation')
    expect(invalidation?.request).toMatchObject({ InvalidationBatch: { CallerReference: accepted.id } })
    const data = staticDataOf(done)
    expect(data).toMatchObject({
      bucket: site.site.bucket,
      prefix: 'r/2',
      previousPrefix: 'r/1',
      distributionId: site.site.distribution_id,
      distributions: [{ domainName: expect.stringMatching(/cloudfront/) }],
      invalidations: [{ status: 'Completed', purpose: 'RELEASE' }],
      triggerChannel: 'API',
    })
    expect(done.externalDeploymentId).toBe(data.invalidations?.[0]?.invalidationId)
    expect(stepsOf(done)).toEqual(['INIT', 'PROMOTE', 'INVALIDATE', 'COMPLETED'])
  })

  test('to an empty store is the first release', async () => {
    const org = await world.organization()
    const site = await createTestSite(world, org)

    const done = await site.release('r/1')

    expect(await site.active()).toBe('r/1')
    expect(staticDataOf(done).previousPrefix).toBeUndefined()
    expect(stepsOf(done)).toEqual(['INIT', 'PROMOTE', 'COMPLETED'])
    expect(await org.calls('CreateInvalidation')).toEqual([])
  })

  test('reports which distribution sends its files uncompressed', async () => {
    const org = await world.organization()
    const site = await createTestSite(world, org)
    const messageOf = (one: Deployment) => eventsOf(one).find(({ stepCode }) => stepCode === 'PROMOTE')?.message
    expect(messageOf(await site.release('r/1'))).not.toContain('ncompressed')

    const { contentNetwork } = org.clients
    const Id = site.site.distribution_id
    const { DistributionConfig: config, ETag } = await contentNetwork.send(new GetDistributionConfigCommand({ Id }))
    if (!config?.DefaultCacheBehavior) throw new Error('the distribution has no behavior')
    const DistributionConfig = { ...config, DefaultCacheBehavior: { ...config.DefaultCacheBehavior, Compress: false } }
    await contentNetwork.send(new UpdateDistributionCommand({ Id, IfMatch: ETag, DistributionConfig }))
    expect(messageOf(await site.release('r/2'))).toContain(`Uncompressed by ${Id}: switch on`)
  })

  test('of an empty directory fails and changes nothing', async () => {
    const org = await world.organization()
    const site = await createTestSite(world, org, { active: 'r/1' })

    const { id } = await site.deploy('r/never-uploaded')

    const failed = await org.untilStatus(id, 'ERROR')
    expect(failed.error).toMatchObject({ code: 'Sluice:Deployments:RELEASE_MISSING' })
    expect(failed.error?.message).toContain('r/never-uploaded')
    expect(await site.active()).toBe('r/1')
  })

  test('is repeated by a redeployment', async () => {
    const org = await world.organization()
    const site = await createTestSite(world, org)
    const first = await site.release('r/1')
    await site.release('r/2')

    const again = await org.untilStatus((await org.redeploy(first.id)).id, 'SUCCESS')

    expect(again).toMatchObject({ redeployOfDeploymentId: first.id, data: { prefix: 'r/1', previousPrefix: 'r/2' } })
    expect(await site.active()).toBe('r/1')
  })

  test('of the served directory reports that nothing was shifted', async () => {
    const org = await world.organization()
    const site = await createTestSite(world, org)
    const live = await site.release('r/1')

    const again = await org.untilStatus((await org.redeploy(live.id)).id, 'SUCCESS')

    expect(again.data?.events?.map(({ message }) => message)).toContain(
      'The site was served from r/1 already: nothing was shifted.',
    )
  })

  test('waits in the queue of its instance', async () => {
    const org = await world.organization()
    const site = await createTestSite(world, org, { paths: ['/will-hang*'] })
    const first = await site.deploy('r/1')
    await org.until(first.id, 'waiting', (one) => stepsOf(one).includes('INVALIDATE'))

    const second = await site.deploy('r/2')
    expect((await org.get(second.id)).status).toBe('PENDING')
    await org.cancel(second.id)

    expect(await org.untilStatus(second.id, 'CANCELLED')).toMatchObject({ error: { code: expect.any(String) } })
    expect(await site.active()).toBe('r/1')
  })

  test('with an invalid block is rejected with the path of every error', async () => {
    const org = await world.organization()
    const site = await createTestSite(world, org, {
      deploy: {
        infrastructure: {
          s3_bucket: 'b',
          s3_region: 'eu-west-1',
          cdn_distribution_arns: ['E1'],
          cdn_keyvaluestore_arn: 'site',
        },
        definition: { s3_directory: '/r/1/', cdn_invalidation_paths: ['index.html'] },
      },
    })
    const body = { data: { moduleInstanceId: site.moduleInstanceId, description: '', inputs: { directory: 'r/1' } } }

    const answer = await org.client.ask('POST', '/deployments', body)

    expect(answer).toMatchObject({ status: 422, body: { code: 'Sluice:Deployments:RELEASE_INVALID' } })
    const { details } = answer.body as { details: { items: string[] }[] }
    expect(details[0]?.items).toEqual([
      'deploy.infrastructure.cdn_distribution_arns[0]: expected the ARN of a distribution, such as arn:aws:cloudfront::123456789012:distribution/E1',
      'deploy.infrastructure.cdn_keyvaluestore_arn: expected the ARN of a key value store, such as arn:aws:cloudfront::123456789012:key-value-store/site',
      'deploy.definition.cdn_invalidation_paths[0]: expected a path that begins with /, does not contain ~ (the CDN cannot invalidate it), and has a * only at its end, such as /assets/*',
      'deploy.definition.s3_directory must be a directory such as releases/42: no leading or trailing slash, no empty segment, no . or ..',
    ])
  })
})
