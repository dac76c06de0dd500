import type { Deployment } from '@sluice/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../../../testing/eventually.ts'
import { createTestSite, staticDataOf } from '../../../../testing/static-site.ts'
import { startWorld, type TestOrganization, type World } from '../../../../testing/world.ts'

let world: World
beforeAll(async () => {
  // Leaves six seconds of real time for the cancel, also on a busy machine.
  world = await startWorld({ timing: { invalidationSeconds: 3_600 } })
})
afterAll(() => world?.[Symbol.asyncDispose]())

const untilInvalidating = (org: TestOrganization, id: string) =>
  org.until(id, 'invalidating', (one) => (staticDataOf(one).invalidations ?? []).length > 0)

describe.concurrent('rolling back a static site', () => {
  test('serves the previous release again', async () => {
    const org = await world.organization()
    const site = await createTestSite(world, org)
    const first = await site.release('r/1')
    const second = await site.release('r/2')

    const accepted = await org.client.done<Deployment>('POST', `/deployments/${second.id}/rollback`)

    expect(accepted).toMatchObject({ triggerSource: 'ROLLBACK', rollbackToDeploymentId: first.id })
    expect(await org.untilStatus(accepted.id, 'SUCCESS')).toMatchObject({
      data: { prefix: 'r/1', previousPrefix: 'r/2' },
    })
    expect(await site.active()).toBe('r/1')
    expect(await org.client.ask('POST', `/deployments/${accepted.id}/rollback`)).toMatchObject({
      status: 422,
      body: { code: 'Sluice:Deployments:ROLLBACK_TARGET_NEWER', metadata: { toDeploymentId: second.id } },
    })
  })

  test('rolls back a release in progress', async () => {
    const org = await world.organization()
    const site = await createTestSite(world, org, { paths: ['/*'] })
    await site.release('r/1')
    const second = await site.deploy('r/2')
    await untilInvalidating(org, second.id)

    const { id } = await org.client.done<Deployment>('POST', `/deployments/${second.id}/rollback`)

    await org.untilStatus(second.id, 'ROLLED_BACK')
    await org.untilStatus(id, 'SUCCESS')
    expect(await site.active()).toBe('r/1')
  })
})

describe.concurrent('cancelling a static site deployment', () => {
  test('serves the previous directory again and invalidates the caches again', async () => {
    const org = await world.organization()
    const site = await createTestSite(world, org, { active: 'r/1', paths: ['/*'] })
    const { id } = await site.deploy('r/2')
    await untilInvalidating(org, id)

    await org.cancel(id)

    const ended = await org.untilStatus(id, 'ROLLED_BACK')
    expect(ended.error).toMatchObject({ code: 'Sluice:Deployments:CANCELLED' })
    expect(await site.active()).toBe('r/1')
    expect(staticDataOf(ended).invalidations?.map(({ purpose }) => purpose)).toEqual(['RELEASE', 'ROLLBACK'])
    expect(staticDataOf(ended).events?.map(({ stepCode }) => stepCode)).toEqual([
      'INIT',
      'PROMOTE',
      'INVALIDATE',
      'ROLLBACK_STARTED',
      'ROLLED_BACK',
    ])
  })

  test('of a first release leaves the store empty, as before', async () => {
    const org = await world.organization()
    const site = await createTestSite(world, org, { paths: ['/*'] })
    const { id } = await site.deploy('r/1')
    await untilInvalidating(org, id)

    await org.cancel(id)

    await org.untilStatus(id, 'ROLLED_BACK')
    expect(await site.keys()).toEqual({})
  })

  test("leaves another actor's change of the served directory", async () => {
    const org = await world.organization()
    const site = await createTestSite(world, org, { active: 'r/1', paths: ['/*'] })
    const { id } = await site.deploy('r/2')
    await untilInvalidating(org, id)
    await site.serve('r/by-hand')

    await org.cancel(id)

    const ended = await org.untilStatus(id, 'ERROR')
    expect(ended.error).toMatchObject({ code: 'Sluice:Deployments:TARGET_CHANGED' })
    expect(await site.active()).toBe('r/by-hand')
  })

  test('before any change ends the deployment at once', async () => {
    const org = await world.organization()
    const site = await createTestSite(world, org, { active: 'r/1' })
    await org.fault({ kind: 'throttle', operation: 'ListObjectsV2' })
    const { id } = await site.deploy('r/2')
    await eventually(
      'a look at the directory',
      () => org.calls('ListObjectsV2'),
      (calls) => calls.length > 0,
    )

    await org.cancel(id)

    expect(await org.untilStatus(id, 'CANCELLED')).toMatchObject({ data: { prefix: 'r/2' } })
    expect(await site.active()).toBe('r/1')
    expect(await org.calls('PutKey')).toEqual([])
  })

  test('while only old releases are being deleted is too late, and the release stays', async () => {
    const org = await world.organization()
    const site = await createTestSite(world, org, { keep: 1, releases: ['r/1', 'r/2'] })
    await site.release('r/1')
    await org.fault({ kind: 'throttle', operation: 'DeleteObjects' })
    const { id } = await site.deploy('r/2')
    await org.until(id, 'tidying', (one) => (staticDataOf(one).removedPrefixes ?? []).length > 0)

    await org.cancel(id)

    const ended = await org.untilStatus(id, 'SUCCESS')
    expect(ended.error).toMatchObject({ code: 'Sluice:Deployments:CANCEL_TOO_LATE' })
    expect(await site.active()).toBe('r/2')
  })
})
