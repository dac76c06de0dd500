import {
  GetFunctionConfigurationCommand,
  PutProvisionedConcurrencyConfigCommand,
  UpdateAliasCommand,
} from '@aws-sdk/client-lambda'
import type { UserFacingError } from '@sluice/contract'
import { describe, expect, test } from 'vitest'
import { functionDataOf } from '../../../../testing/functions.ts'
import { eventsOf, pausesOf, stepsOf } from '../../../../testing/world.ts'
import { canary, movesOf, pauseAt, useFunctions, waitUntilEnded } from './functions.fixture.ts'

const { start, paused } = useFunctions()

describe.concurrent('a release of a function', () => {
  test('uploads an archive, publishes it as a version and moves the alias at once', async () => {
    const { org, fn } = await start()

    const { id } = await fn.deploy('v2')
    const done = await waitUntilEnded(org, id)

    const { functionArn } = fn
    expect(done).toMatchObject({
      status: 'SUCCESS',
      deploymentType: 'cloud:lambda',
      resourceArn: functionArn,
      resourceName: functionArn.split(':').at(-1),
      externalDeploymentId: `${functionArn}:2`,
      data: {
        type: 'cloud:lambda',
        functionArn,
        aliasName: 'live',
        version: '2',
        previousVersion: '1',
        s3Key: 'v2.zip',
        strategy: 'all_at_once',
        aliasState: { version: '2', revisionId: (await fn.alias()).RevisionId },
      },
    })
    expect(stepsOf(done)).toEqual(['INIT', 'UPDATE_CODE', 'PUBLISH_VERSION', 'PRODUCTION_TRAFFIC_SHIFT', 'COMPLETED'])
    expect(await fn.alias()).toMatchObject({ FunctionVersion: '2' })
    const FunctionName = `${functionArn}:live`
    const live = await org.clients.lambda.send(new GetFunctionConfigurationCommand({ FunctionName }))
    expect(live).toMatchObject({ Description: `Sluice ${id}`, CodeSha256: functionDataOf(done).codeSha256 })
  })

  test('waits for the provisioned concurrency of the new version, while the alias returns the old one', async () => {
    const { org, fn } = await start()
    const provision = { FunctionName: fn.functionArn, Qualifier: 'live', ProvisionedConcurrentExecutions: 1 }
    await org.clients.lambda.send(new PutProvisionedConcurrencyConfigCommand(provision))

    const { id } = await fn.deploy('v2')
    await org.until(id, 'moved', (seen) => stepsOf(seen).includes('PRODUCTION_TRAFFIC_SHIFT'))
    const moved = eventsOf(await org.get(id)).find(({ stepCode }) => stepCode === 'PRODUCTION_TRAFFIC_SHIFT')
    const done = await waitUntilEnded(org, id)

    expect(done.error).toBeUndefined()
    expect(done.status).toBe('SUCCESS')
    expect(moved?.message).toBe('All calls go to version 2 as soon as its provisioned concurrency is ready.')
    expect(await fn.alias()).toMatchObject({ FunctionVersion: '2' })
    expect((await fn.alias()).RoutingConfig).toBeUndefined()
  })

  test('reports the previous weights of the alias', async () => {
    const { org, fn } = await start()
    await waitUntilEnded(org, (await fn.deploy('v2')).id)
    const RoutingConfig = { AdditionalVersionWeights: { 1: 0.25 } }
    const shared = { FunctionName: fn.functionArn, Name: 'live', FunctionVersion: '2', RoutingConfig }
    await org.clients.lambda.send(new UpdateAliasCommand(shared))

    const done = await waitUntilEnded(org, (await fn.deploy('v3')).id)

    expect(done.status).toBe('SUCCESS')
    expect(eventsOf(done).map(({ message }) => message)).toContain(
      'The alias shared its calls before this release: version 2, for 25 % of the calls version 1.',
    )
  })

  test('uses an image, and returns the digest of its tag', async () => {
    const { org, fn } = await start({ packageType: 'image' })
    const done = await waitUntilEnded(org, (await fn.deploy('v2')).id)
    const { imageUri, resolvedImageUri, codeSha256 } = functionDataOf(done)
    expect(imageUri).toMatch(/:v2$/)
    expect(resolvedImageUri).toMatch(new RegExp(`@sha256:${codeSha256}$`))
    expect(await fn.alias()).toMatchObject({ FunctionVersion: '2' })
  })

  test.each([
    [
      'a canary',
      canary,
      [
        ['1', { 2: 0.1 }],
        ['2', {}],
      ],
    ],
    [
      'linear steps that do not come out even',
      { type: 'linear', bake_time_in_minutes: 0, linear: { step_percentage: 40, step_bake_time_in_minutes: 0 } },
      [
        ['1', { 2: 0.4 }],
        ['1', { 2: 0.8 }],
        ['2', {}],
      ],
    ],
  ])('shifts traffic as %s', async (_, strategy, moves) => {
    const { org, fn } = await start({ strategy })
    const done = await waitUntilEnded(org, (await fn.deploy()).id)
    expect(done.status).toBe('SUCCESS')
    expect(await movesOf(org)).toEqual(moves)
    const shifts = eventsOf(done).filter(({ stepCode }) => stepCode === 'PRODUCTION_TRAFFIC_SHIFT')
    expect(shifts.map(({ trafficPhase }) => trafficPhase)).toEqual([
      ...moves.slice(1).map(() => 'shifting'),
      'production',
    ])
  })

  test('changes nothing if the alias runs this code already', async () => {
    const { org, fn } = await start()
    const done = await waitUntilEnded(org, (await fn.deploy('v1')).id)
    expect(done).toMatchObject({ status: 'SUCCESS', data: { version: '1' } })
    expect(await org.calls('UpdateAlias')).toEqual([])
    expect(await fn.versions()).toEqual(['1'])
  })

  test('waits in the queue behind a paused release', async () => {
    const { org, fn, id } = await paused()
    const next = await fn.deploy('v3')
    expect(next.status).toBe('PENDING')
    expect((await org.continueToEnd(id)).status).toBe('SUCCESS')
    expect((await org.continueToEnd(next.id)).status).toBe('SUCCESS')
    expect(await fn.alias()).toMatchObject({ FunctionVersion: '3' })
  })
})

describe.concurrent('a pause', () => {
  test('comes before each shift and after the last one, each with a hook of its own', async () => {
    const strategy = {
      ...canary,
      pause_stages: pauseAt('PRE_PRODUCTION_TRAFFIC_SHIFT', 'POST_PRODUCTION_TRAFFIC_SHIFT'),
    }
    const { org, fn } = await start({ strategy })
    const { id } = await fn.deploy()
    const first = await org.untilPaused(id)
    expect(await fn.alias()).toMatchObject({ FunctionVersion: '1' })

    const accepted = functionDataOf(await org.continue(id, first)).acceptedPauseControl
    expect(accepted).toMatchObject({ hookId: first, action: 'CONTINUE', labelKind: 'shift_traffic' })
    const second = await org.untilPaused(id, [first])
    expect((await fn.alias()).RoutingConfig?.AdditionalVersionWeights).toEqual({ 2: 0.1 })
    const again = functionDataOf(await org.continue(id, first)).acceptedPauseControl
    expect(again).toEqual(accepted) // a retry of the first request does not continue the second pause
    const labelled = await org.continue(id, second)
    expect(functionDataOf(labelled).acceptedPauseControl).toMatchObject({ hookId: second, labelKind: 'continue' })
    const third = await org.untilPaused(id, [first, second])
    expect(await fn.alias()).toMatchObject({ FunctionVersion: '2' })
    expect((await org.get(id)).status).toBe('IN_PROGRESS')
    expect(functionDataOf(await org.continue(id)).acceptedPauseControl).toMatchObject({
      hookId: third,
      labelKind: 'finish',
    })

    const done = await waitUntilEnded(org, id)
    expect(done.status).toBe('SUCCESS')
    expect(new Set(pausesOf(done)).size).toBe(3)
    const paused = eventsOf(done).filter(({ stepCode }) => stepCode === 'PAUSED')
    expect(paused.map(({ trafficPhase }) => trafficPhase)).toEqual(['standby', 'shifting', 'production'])
  })

  test('that is not pending is rejected, and so is one of a finished release', async () => {
    const { org, id, hookId } = await paused()
    const refused = (hook: string) => org.client.ask('POST', `/deployments/${id}/continue`, { data: { hookId: hook } })
    const other = await refused('another')
    expect(other).toMatchObject({ status: 422, body: { code: 'Sluice:Deployments:HOOK_NOT_PENDING' } })
    expect((other.body as UserFacingError).message).toContain(hookId)
    await org.continueToEnd(id)
    expect(await refused('another')).toMatchObject({ status: 422, body: { code: 'Sluice:Deployments:NOT_PAUSED' } })
  })
})

describe.concurrent('cancel', () => {
  test('before the alias was moved ends the release at once', async () => {
    const { org, fn, id } = await paused()
    expect(await org.cancel(id)).toMatchObject({ status: 'CANCELLED', error: { code: 'Sluice:Deployments:CANCELLED' } })
    expect(await fn.alias()).toMatchObject({ FunctionVersion: '1' })
    expect(await org.calls('UpdateAlias')).toEqual([])
  })

  test('during the shifts restores the alias', async () => {
    const { org, fn, id } = await paused(1)
    expect((await org.cancel(id)).status).toBe('ROLLING_BACK')
    const ended = await waitUntilEnded(org, id)
    expect(ended).toMatchObject({ status: 'ROLLED_BACK', error: { code: 'Sluice:Deployments:CANCELLED' } })
    expect(stepsOf(ended).slice(-2)).toEqual(['ROLLBACK_STARTED', 'ROLLED_BACK'])
    const alias = await fn.alias()
    expect(alias).toMatchObject({ FunctionVersion: '1' })
    expect(alias.RoutingConfig).toBeUndefined()
  })

  test('after all traffic moved restores it, too', async () => {
    const strategy = { type: 'all_at_once', pause_stages: pauseAt('POST_PRODUCTION_TRAFFIC_SHIFT') }
    const { org, fn } = await start({ strategy })
    const { id } = await fn.deploy()
    await org.untilPaused(id)
    expect(await fn.alias()).toMatchObject({ FunctionVersion: '2' })
    await org.cancel(id)
    expect((await waitUntilEnded(org, id)).status).toBe('ROLLED_BACK')
    expect(await fn.alias()).toMatchObject({ FunctionVersion: '1' })
  })
})
