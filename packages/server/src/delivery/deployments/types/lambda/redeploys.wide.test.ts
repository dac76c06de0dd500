import { DeleteFunctionCommand } from '@aws-sdk/client-lambda'
import type { Deployment } from '@sluice/contract'
import { describe, expect, test } from 'vitest'
import { functionDataOf } from '../../../../testing/functions.ts'
import { stepsOf, type TestOrganization } from '../../../../testing/world.ts'
import { canary, movesOf, pausingCanary, updatesIn, useFunctions, waitUntilEnded } from './functions.fixture.ts'

const { start } = useFunctions()

describe.concurrent('redeploy', () => {
  const release = async (org: TestOrganization, deployment: Deployment) => {
    const done = await waitUntilEnded(org, deployment.id)
    expect(done.status).toBe('SUCCESS')
    return done
  }

  test('moves the alias to the stored version and publishes nothing', async () => {
    const { org, fn } = await start({ strategy: canary })
    const second = await release(org, await fn.deploy('v2'))
    await release(org, await fn.deploy('v3'))

    const again = await release(org, await org.redeploy(second.id))

    expect(again).toMatchObject({
      redeployOfDeploymentId: second.id,
      triggerSource: 'REDEPLOY',
      data: { version: '2', previousVersion: '3', codeSha256: functionDataOf(second).codeSha256 },
    })
    expect(await fn.versions()).toEqual(['1', '2', '3'])
    expect(await updatesIn(org)).toHaveLength(2)
    expect((await movesOf(org)).slice(-2)).toEqual([
      ['3', { 2: 0.1 }],
      ['2', {}],
    ])
  })

  test('of the live version reports that nothing was shifted', async () => {
    const { org, fn } = await start()
    const live = await release(org, await fn.deploy('v2'))

    const again = await release(org, await org.redeploy(live.id))

    expect(again.data?.events?.at(-1)?.message).toBe(
      'Version 2 was live already: no calls were shifted to another version.',
    )
  })

  test('of an image whose version was deleted uses the same image again, regardless of its tag', async () => {
    const { org, fn } = await start({ packageType: 'image' })
    const second = await release(org, await fn.deploy('v2'))
    await release(org, await fn.deploy('v3'))
    await org.clients.lambda.send(new DeleteFunctionCommand({ FunctionName: fn.functionArn, Qualifier: '2' }))

    const again = await release(org, await org.redeploy(second.id))

    const { resolvedImageUri } = functionDataOf(second)
    const imageUri = `${functionDataOf(second).imageUri}@${resolvedImageUri?.split('@')[1]}`
    expect(functionDataOf(again)).toMatchObject({ version: '4', imageUri, resolvedImageUri })
  })

  test('of a deleted version publishes the same code again', async () => {
    const { org, fn } = await start()
    const second = await release(org, await fn.deploy('v2'))
    await release(org, await fn.deploy('v3'))
    const gone = new DeleteFunctionCommand({ FunctionName: fn.functionArn, Qualifier: '2' })
    await org.clients.lambda.send(gone)

    const again = await release(org, await org.redeploy(second.id))

    expect(functionDataOf(again)).toMatchObject({ version: '4', codeSha256: functionDataOf(second).codeSha256 })
    expect(await fn.alias()).toMatchObject({ FunctionVersion: '4' })
  })
})

describe.concurrent('rollback', () => {
  const rollback = (org: TestOrganization, id: string) =>
    org.client.done<Deployment>('POST', `/deployments/${id}/rollback`, { data: {} })

  test('returns to the previous version at once, regardless of the strategy', async () => {
    const { org, fn } = await start({ strategy: pausingCanary })
    const second = await org.continueToEnd((await fn.deploy('v2')).id)
    const third = await org.continueToEnd((await fn.deploy('v3')).id)

    const back = await waitUntilEnded(org, (await rollback(org, third.id)).id)

    expect(back).toMatchObject({ status: 'SUCCESS', rollbackToDeploymentId: second.id, data: { version: '2' } })
    expect(stepsOf(back)).toEqual(['INIT', 'PUBLISH_VERSION', 'PRODUCTION_TRAFFIC_SHIFT', 'COMPLETED'])
    expect((await movesOf(org)).at(-1)).toEqual(['2', {}])
    expect(await fn.versions()).toEqual(['1', '2', '3'])
    expect(await org.client.ask('POST', `/deployments/${back.id}/rollback`, { data: {} })).toMatchObject({
      status: 422,
      body: { code: 'Sluice:Deployments:ROLLBACK_TARGET_NEWER', metadata: { toDeploymentId: third.id } },
    })
  })

  test('of a release that has part of the traffic rolls it back', async () => {
    const { org, fn } = await start({ strategy: pausingCanary })
    const second = await org.continueToEnd((await fn.deploy('v2')).id)
    const { id } = await fn.deploy('v3')
    const first = await org.untilPaused(id)
    await org.continue(id, first)
    await org.untilPaused(id, [first])

    const back = await waitUntilEnded(org, (await rollback(org, id)).id)

    expect(back).toMatchObject({ status: 'SUCCESS', rollbackToDeploymentId: second.id })
    expect(await org.get(id)).toMatchObject({ status: 'ROLLED_BACK' })
    const alias = await fn.alias()
    expect(alias).toMatchObject({ FunctionVersion: '2' })
    expect(alias.RoutingConfig).toBeUndefined()
  })
})
