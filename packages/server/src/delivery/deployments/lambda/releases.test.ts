import {
  DeleteFunctionCommand,
  GetFunctionConfigurationCommand,
  PutProvisionedConcurrencyConfigCommand,
  UpdateAliasCommand,
  UpdateFunctionConfigurationCommand,
} from '@aws-sdk/client-lambda'
import type { Deployment, UserFacingError } from '@sluice/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { functionDataOf, type TestFunctionWish, testFunction } from '../../../testing/functions.ts'
import { eventsOf, pausesOf, startWorld, stepsOf, type TestOrganization, type World } from '../../../testing/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

const longestPauseMinutes = 20_160
const pauseAt = (...stages: string[]) =>
  stages.map((stage) => ({ stage, timeout_in_minutes: longestPauseMinutes, timeout_action: 'ROLLBACK' }))

const canary = {
  type: 'canary',
  bake_time_in_minutes: 0,
  canary: { canary_percent: 10, canary_bake_time_in_minutes: 0 },
}
const pausingCanary = { ...canary, pause_stages: pauseAt('PRE_PRODUCTION_TRAFFIC_SHIFT') }

async function start(wish: TestFunctionWish = {}) {
  const org = await world.organization()
  return { org, fn: await testFunction(org, wish) }
}

/** A canary that has come to the pause before its first shift, or before its second. */
async function paused(shifts: 0 | 1 = 0) {
  const { org, fn } = await start({ strategy: pausingCanary })
  const { id } = await fn.deploy()
  const first = await org.untilPaused(id)
  if (shifts === 0) return { org, fn, id, hookId: first }
  await org.continue(id, first)
  return { org, fn, id, hookId: await org.untilPaused(id, [first]) }
}

/** What the alias was told, in order. */
const movesOf = async (org: TestOrganization) =>
  (await org.calls('UpdateAlias', { accepted: true })).map(({ request }) => {
    const { FunctionVersion, RoutingConfig } = request as {
      FunctionVersion: string
      RoutingConfig: { AdditionalVersionWeights: Record<string, number> }
    }
    return [FunctionVersion, RoutingConfig.AdditionalVersionWeights]
  })

const over = (org: TestOrganization, id: string) => org.untilStatus(id, 'SUCCESS', 'ERROR', 'CANCELLED', 'ROLLED_BACK')

/** The updates of code that the cloud took: dry runs, by which the hash is learned, change nothing. */
async function updatesIn(org: TestOrganization) {
  const taken = await org.calls('UpdateFunctionCode', { accepted: true })
  return taken.filter(({ request }) => !(request as { DryRun?: boolean }).DryRun)
}

describe.concurrent('a release of a function', () => {
  test('takes an archive, publishes a version of it and moves the alias at once', async () => {
    const { org, fn } = await start()

    const { id } = await fn.deploy('v2')
    const done = await over(org, id)

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

  test('takes an image, and says what its tag stood for', async () => {
    const { org, fn } = await start({ packageType: 'image' })
    const done = await over(org, (await fn.deploy('v2')).id)
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
  ])('moves calls as %s', async (_, strategy, moves) => {
    const { org, fn } = await start({ strategy })
    const done = await over(org, (await fn.deploy()).id)
    expect(done.status).toBe('SUCCESS')
    expect(await movesOf(org)).toEqual(moves)
    const shifts = eventsOf(done).filter(({ stepCode }) => stepCode === 'PRODUCTION_TRAFFIC_SHIFT')
    expect(shifts.map(({ trafficPhase }) => trafficPhase)).toEqual([
      ...moves.slice(1).map(() => 'shifting'),
      'production',
    ])
  })

  test('changes nothing where the alias runs this very code already', async () => {
    const { org, fn } = await start()
    const done = await over(org, (await fn.deploy('v1')).id)
    expect(done).toMatchObject({ status: 'SUCCESS', data: { version: '1' } })
    expect(await org.calls('UpdateAlias')).toEqual([])
    expect(await fn.versions()).toEqual(['1'])
  })

  test('waits its turn behind one that is paused', async () => {
    const { org, fn, id } = await paused()
    const next = await fn.deploy('v3')
    expect(next.status).toBe('PENDING')
    expect((await org.continueToEnd(id)).status).toBe('SUCCESS')
    expect((await org.continueToEnd(next.id)).status).toBe('SUCCESS')
    expect(await fn.alias()).toMatchObject({ FunctionVersion: '3' })
  })
})

describe.concurrent('a pause', () => {
  test('comes before each shift and after the last, each with a hook of its own', async () => {
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
    expect(again).toEqual(accepted) // a retry of the first does not continue the second
    const labelled = await org.continue(id, second)
    expect(functionDataOf(labelled).acceptedPauseControl).toMatchObject({ hookId: second, labelKind: 'continue' })
    const third = await org.untilPaused(id, [first, second])
    expect(await fn.alias()).toMatchObject({ FunctionVersion: '2' })
    expect((await org.get(id)).status).toBe('IN_PROGRESS')
    expect(functionDataOf(await org.continue(id)).acceptedPauseControl).toMatchObject({
      hookId: third,
      labelKind: 'finish',
    })

    const done = await over(org, id)
    expect(done.status).toBe('SUCCESS')
    expect(new Set(pausesOf(done)).size).toBe(3)
    const paused = eventsOf(done).filter(({ stepCode }) => stepCode === 'PAUSED')
    expect(paused.map(({ trafficPhase }) => trafficPhase)).toEqual(['standby', 'shifting', 'production'])
  })

  test('that is not the pending one is refused by its name; so is one of a release that is over', async () => {
    const { org, id, hookId } = await paused()
    const refused = (hook: string) => org.client.ask('POST', `/deployments/${id}/continue`, { data: { hookId: hook } })
    const other = await refused('another')
    expect(other).toMatchObject({ status: 422, body: { code: 'Sluice:Deployments:HOOK_NOT_PENDING' } })
    expect((other.body as UserFacingError).message).toContain(hookId)
    await org.continueToEnd(id)
    expect(await refused('another')).toMatchObject({ status: 422, body: { code: 'Sluice:Deployments:NOT_PAUSED' } })
  })
})

describe.concurrent('a release that fails', () => {
  test.each([
    [
      'its archive cannot be used',
      'v2-broken',
      'CODE_UPDATE_FAILED',
      'The archive has no handler. (InvalidZipFileException)',
    ],
    ['its version cannot be started', 'v2-inactive', 'VERSION_FAILED', 'The runtime could not be initialized.'],
    ['its archive is not there', 'v2-missing', 'CLOUD_REFUSED', 'NoSuchKey'],
  ])('because %s leaves the alias as it was', async (_, code, failure, reason) => {
    const { org, fn } = await start()
    const failed = await over(org, (await fn.deploy(code)).id)
    expect(failed).toMatchObject({ status: 'ERROR', error: { code: `Sluice:Deployments:${failure}` } })
    expect(failed.error?.message).toContain(reason)
    expect(stepsOf(failed).at(-1)).toBe('FAILED')
    expect(await org.calls('UpdateAlias')).toEqual([])
  })

  test('because its alias is not there says so, before anything is changed', async () => {
    const { org, fn } = await start({ change: { alias_name: 'production' } })
    const failed = await over(org, (await fn.deploy()).id)
    expect(failed).toMatchObject({ status: 'ERROR', error: { code: 'Sluice:Deployments:CLOUD_REFUSED' } })
    expect(failed.error?.message).toContain('Cannot find alias')
    expect(await org.calls('UpdateFunctionCode')).toEqual([])
  })

  test('because it may not move the alias names the right', async () => {
    const { org, fn } = await start()
    await org.deny('lambda:UpdateAlias')
    const failed = await over(org, (await fn.deploy()).id)
    expect(failed).toMatchObject({ status: 'ERROR', error: { code: 'Sluice:Deployments:CLOUD_REFUSED' } })
    expect(failed.error?.message).toContain('lambda:UpdateAlias')
    expect(await fn.alias()).toMatchObject({ FunctionVersion: '1' })
  })

  test('because somebody else moved the alias leaves it to them, and names both versions', async () => {
    const { org, fn, id, hookId } = await paused(1)
    const { lambda } = org.clients
    const FunctionName = fn.functionArn
    await lambda.send(
      new UpdateAliasCommand({
        FunctionName,
        Name: 'live',
        FunctionVersion: '1',
        RoutingConfig: { AdditionalVersionWeights: { 2: 0.5 } },
      }),
    )
    await org.continue(id, hookId)
    const failed = await over(org, id)
    expect(failed).toMatchObject({
      status: 'ERROR',
      error: {
        code: 'Sluice:Deployments:ALIAS_CHANGED',
        message: expect.stringContaining(
          'version 1, for 10 % of the calls version 2, and now it is at version 1, for 50 %',
        ),
      },
    })
    expect((await fn.alias()).RoutingConfig?.AdditionalVersionWeights).toEqual({ 2: 0.5 })
  })

  test('does not fail because somebody else changed what does not matter', async () => {
    const { org, fn, id, hookId } = await paused(1)
    const { lambda } = org.clients
    const FunctionName = fn.functionArn
    await lambda.send(new UpdateAliasCommand({ FunctionName, Name: 'live', Description: 'What users call' }))
    await lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName, Timeout: 30 }))
    await org.continue(id, hookId)
    expect((await over(org, id)).status).toBe('SUCCESS')
  })

  test.each([['UpdateFunctionCode'], ['PublishVersion'], ['UpdateAlias']])(
    'never, because the answer of %s was lost: nothing happens twice',
    async (operation) => {
      const { org, fn } = await start({ strategy: canary })
      await org.fault({ kind: 'drop-answer', operation, times: 1 })
      const done = await over(org, (await fn.deploy()).id)
      expect(done.status).toBe('SUCCESS')
      expect(await updatesIn(org)).toHaveLength(1)
      expect(await fn.versions()).toEqual(['1', '2'])
      expect(await movesOf(org)).toEqual([
        ['1', { 2: 0.1 }],
        ['2', {}],
      ])
    },
  )

  test('never, because the cloud fetches its code for longer than other calls take', async () => {
    const { org, fn } = await start()
    await org.fault({ kind: 'slow', operation: 'UpdateFunctionCode', delayMs: 10_500, times: 2 })
    const { id } = await fn.deploy()
    const isOver = ({ status }: Deployment) => status === 'SUCCESS' || status === 'ERROR'
    expect((await org.until(id, 'over', isOver, 45_000)).status).toBe('SUCCESS')
    expect(await org.calls('UpdateFunctionCode'), 'to learn the hash, and to give the code').toHaveLength(2)
  }, 60_000)

  test.each([['throttle'], ['server-error']] as const)('never, because of passing trouble: %s', async (kind) => {
    const { org, fn } = await start()
    for (const operation of ['GetAlias', 'UpdateFunctionCode', 'GetFunction', 'PublishVersion', 'UpdateAlias']) {
      await org.fault({ kind, operation, times: 1 })
    }
    expect((await over(org, (await fn.deploy()).id)).status).toBe('SUCCESS')
  })
})

describe.concurrent('cancel', () => {
  test('before the alias was moved ends the release at once', async () => {
    const { org, fn, id } = await paused()
    expect(await org.cancel(id)).toMatchObject({ status: 'CANCELLED', error: { code: 'Sluice:Deployments:CANCELLED' } })
    expect(await fn.alias()).toMatchObject({ FunctionVersion: '1' })
    expect(await org.calls('UpdateAlias')).toEqual([])
  })

  test('in the middle returns the alias to what it did before', async () => {
    const { org, fn, id } = await paused(1)
    expect((await org.cancel(id)).status).toBe('ROLLING_BACK')
    const ended = await over(org, id)
    expect(ended).toMatchObject({ status: 'ROLLED_BACK', error: { code: 'Sluice:Deployments:CANCELLED' } })
    expect(stepsOf(ended).slice(-2)).toEqual(['ROLLBACK_STARTED', 'ROLLED_BACK'])
    const alias = await fn.alias()
    expect(alias).toMatchObject({ FunctionVersion: '1' })
    expect(alias.RoutingConfig).toBeUndefined()
  })

  test('after all calls were moved returns them, too', async () => {
    const strategy = { type: 'all_at_once', pause_stages: pauseAt('POST_PRODUCTION_TRAFFIC_SHIFT') }
    const { org, fn } = await start({ strategy })
    const { id } = await fn.deploy()
    await org.untilPaused(id)
    expect(await fn.alias()).toMatchObject({ FunctionVersion: '2' })
    await org.cancel(id)
    expect((await over(org, id)).status).toBe('ROLLED_BACK')
    expect(await fn.alias()).toMatchObject({ FunctionVersion: '1' })
  })
})

describe.concurrent('redeploy', () => {
  const release = async (org: TestOrganization, deployment: Deployment) => {
    const done = await over(org, deployment.id)
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

  test('of an image that is gone as a version takes the very image again, whatever its tag is now', async () => {
    const { org, fn } = await start({ packageType: 'image' })
    const second = await release(org, await fn.deploy('v2'))
    await release(org, await fn.deploy('v3'))
    await org.clients.lambda.send(new DeleteFunctionCommand({ FunctionName: fn.functionArn, Qualifier: '2' }))

    const again = await release(org, await org.redeploy(second.id))

    const { resolvedImageUri } = functionDataOf(second)
    expect(functionDataOf(again)).toMatchObject({ version: '4', imageUri: resolvedImageUri, resolvedImageUri })
  })

  test('of a version that is gone publishes the same code anew', async () => {
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

  test('returns to the version before at once, whatever the strategy', async () => {
    const { org, fn } = await start({ strategy: pausingCanary })
    const second = await org.continueToEnd((await fn.deploy('v2')).id)
    const third = await org.continueToEnd((await fn.deploy('v3')).id)

    const back = await over(org, (await rollback(org, third.id)).id)

    expect(back).toMatchObject({ status: 'SUCCESS', rollbackToDeploymentId: second.id, data: { version: '2' } })
    expect(stepsOf(back)).toEqual(['INIT', 'PUBLISH_VERSION', 'PRODUCTION_TRAFFIC_SHIFT', 'COMPLETED'])
    expect((await movesOf(org)).at(-1)).toEqual(['2', {}])
    expect(await fn.versions()).toEqual(['1', '2', '3'])
  })

  test('of one that has a share of the calls turns it back', async () => {
    const { org, fn } = await start({ strategy: pausingCanary })
    const second = await org.continueToEnd((await fn.deploy('v2')).id)
    const { id } = await fn.deploy('v3')
    const first = await org.untilPaused(id)
    await org.continue(id, first)
    await org.untilPaused(id, [first])

    const back = await over(org, (await rollback(org, id)).id)

    expect(back).toMatchObject({ status: 'SUCCESS', rollbackToDeploymentId: second.id })
    expect(await org.get(id)).toMatchObject({ status: 'ROLLED_BACK' })
    const alias = await fn.alias()
    expect(alias).toMatchObject({ FunctionVersion: '2' })
    expect(alias.RoutingConfig).toBeUndefined()
  })
})

describe('a deploy block that cannot be carried out', () => {
  test('is refused with every fault and its place', async () => {
    const { org, fn } = await start({
      block: {
        // What was published could not be known to be wrong.
        infrastructure:
          '<< {function_arn: "arn:aws:lambda:eu-west-1:111122223333:function:f:live", alias_name: "7"} >>',
        definition: '<< {package_type: "zip"} >>',
      },
    })
    const answer = await org.client.ask('POST', '/deployments', {
      data: { moduleInstanceId: fn.moduleInstanceId, description: 'Wrong' },
    })
    expect(answer).toMatchObject({
      status: 422,
      body: {
        code: 'Sluice:Deployments:RELEASE_INVALID',
        details: [
          {
            items: [
              'deploy.infrastructure.function_arn: expected the ARN of a function, without a version or an alias, such as arn:aws:lambda:eu-west-1:123456789012:function:mailer',
              'deploy.infrastructure.alias_name: expected letters, digits, - and _, and not a number, such as live',
              'deploy.definition.s3_key is needed for an archive',
              'deploy.infrastructure.s3_artifact_bucket is needed for an archive',
            ],
          },
        ],
      },
    })
  })

  test('is refused for a stage at which functions do not pause', async () => {
    const { org, fn } = await start({ strategy: { ...canary, pause_stages: pauseAt('POST_SCALE_UP') } })
    const answer = await org.client.ask('POST', '/deployments', {
      data: { moduleInstanceId: fn.moduleInstanceId, description: 'Wrong', inputs: { s3_key: 'v2.zip' } },
    })
    const fault =
      'deploy.strategy.pause_stages[0].stage: expected one of PRE_PRODUCTION_TRAFFIC_SHIFT, POST_PRODUCTION_TRAFFIC_SHIFT'
    expect(answer).toMatchObject({ status: 422, body: { details: [{ items: [fault] }] } })
  })
})

describe.concurrent('a strategy that shares calls, where the alias cannot,', () => {
  const refused = { code: 'Sluice:Deployments:CALLS_NOT_SHARED' }

  test('is refused before any code is published: the alias has provisioned concurrency', async () => {
    const { org, fn } = await start({ strategy: canary })
    const provision = { FunctionName: fn.functionArn, Qualifier: 'live', ProvisionedConcurrentExecutions: 1 }
    await org.clients.lambda.send(new PutProvisionedConcurrencyConfigCommand(provision))
    const failed = await org.untilStatus((await fn.deploy()).id, 'ERROR')
    expect(failed.error).toMatchObject({ ...refused, message: expect.stringContaining('provisioned concurrency') })
    expect(failed.error?.description).toContain('all_at_once')
    expect(await updatesIn(org)).toEqual([])
    expect(await org.calls('PublishVersion')).toEqual([])
  })

  test('is refused before any code is published: the function has another role than the version that runs', async () => {
    const { org, fn } = await start({ strategy: canary })
    const Role = `arn:aws:iam::${org.accountNumber}:role/another`
    await org.clients.lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName: fn.functionArn, Role }))
    const failed = await org.untilStatus((await fn.deploy()).id, 'ERROR')
    expect(failed.error).toMatchObject({ ...refused, message: expect.stringContaining('another execution role') })
    expect(await updatesIn(org)).toEqual([])
  })

  test('is tried all the same by a role that may not ask; all at once is never refused', async () => {
    const { org, fn } = await start({ strategy: canary })
    await org.deny('lambda:GetProvisionedConcurrencyConfig')
    await org.untilStatus((await fn.deploy()).id, 'SUCCESS')
    const other = await start()
    const provision = { FunctionName: other.fn.functionArn, Qualifier: 'live', ProvisionedConcurrentExecutions: 1 }
    await other.org.clients.lambda.send(new PutProvisionedConcurrencyConfigCommand(provision))
    await other.org.untilStatus((await other.fn.deploy()).id, 'SUCCESS')
  })
})
