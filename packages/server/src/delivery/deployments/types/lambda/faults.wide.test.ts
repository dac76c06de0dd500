import {
  PutProvisionedConcurrencyConfigCommand,
  UpdateAliasCommand,
  UpdateFunctionConfigurationCommand,
} from '@aws-sdk/client-lambda'
import type { Deployment } from '@sluice/contract'
import { describe, expect, test } from 'vitest'
import { stepsOf } from '../../../../testing/world.ts'
import { canary, movesOf, pauseAt, updatesIn, useFunctions, waitUntilEnded } from './functions.fixture.ts'

const { start, paused } = useFunctions()

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
  ])('because %s leaves the alias unchanged', async (_, code, failure, reason) => {
    const { org, fn } = await start()
    const failed = await waitUntilEnded(org, (await fn.deploy(code)).id)
    expect(failed).toMatchObject({ status: 'ERROR', error: { code: `Sluice:Deployments:${failure}` } })
    expect(failed.error?.message).toContain(reason)
    expect(stepsOf(failed).at(-1)).toBe('FAILED')
    expect(await org.calls('UpdateAlias')).toEqual([])
  })

  test('because its alias does not exist says so before anything is changed', async () => {
    const { org, fn } = await start({ change: { alias_name: 'production' } })
    const failed = await waitUntilEnded(org, (await fn.deploy()).id)
    expect(failed).toMatchObject({ status: 'ERROR', error: { code: 'Sluice:Deployments:CLOUD_REFUSED' } })
    expect(failed.error?.message).toContain('Cannot find alias')
    expect(await org.calls('UpdateFunctionCode')).toEqual([])
  })

  test('because it lacks the permission to move the alias names the permission', async () => {
    const { org, fn } = await start()
    await org.deny('lambda:UpdateAlias')
    const failed = await waitUntilEnded(org, (await fn.deploy()).id)
    expect(failed).toMatchObject({ status: 'ERROR', error: { code: 'Sluice:Deployments:CLOUD_REFUSED' } })
    expect(failed.error?.message).toContain('lambda:UpdateAlias')
    expect(await fn.alias()).toMatchObject({ FunctionVersion: '1' })
  })

  test('because another actor moved the alias leaves it unchanged and names both versions', async () => {
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
    const failed = await waitUntilEnded(org, id)
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

  test('is not caused by unrelated concurrent changes', async () => {
    const { org, fn, id, hookId } = await paused(1)
    const { lambda } = org.clients
    const FunctionName = fn.functionArn
    await lambda.send(new UpdateAliasCommand({ FunctionName, Name: 'live', Description: 'What users call' }))
    await lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName, Timeout: 30 }))
    await org.continue(id, hookId)
    expect((await waitUntilEnded(org, id)).status).toBe('SUCCESS')
  })

  test.each([['UpdateFunctionCode'], ['PublishVersion'], ['UpdateAlias']])(
    'is not caused by a lost response of %s, and nothing happens twice',
    async (operation) => {
      const { org, fn } = await start({ strategy: canary })
      await org.fault({ kind: 'drop-answer', operation, times: 1 })
      const done = await waitUntilEnded(org, (await fn.deploy()).id)
      expect(done.status).toBe('SUCCESS')
      expect(await updatesIn(org)).toHaveLength(1)
      expect(await fn.versions()).toEqual(['1', '2'])
      expect(await movesOf(org)).toEqual([
        ['1', { 2: 0.1 }],
        ['2', {}],
      ])
    },
  )

  test('is not caused by the cloud fetching the code for longer than other calls take', async () => {
    const { org, fn } = await start()
    await org.fault({ kind: 'slow', operation: 'UpdateFunctionCode', delayMs: 10_500, times: 2 })
    const { id } = await fn.deploy()
    const isOver = ({ status }: Deployment) => status === 'SUCCESS' || status === 'ERROR'
    expect((await org.until(id, 'over', isOver, 45_000)).status).toBe('SUCCESS')
    expect(await org.calls('UpdateFunctionCode'), 'to learn the hash, and to give the code').toHaveLength(2)
  }, 60_000)

  test.each([['throttle'], ['server-error']] as const)('is not caused by transient errors: %s', async (kind) => {
    const { org, fn } = await start()
    for (const operation of ['GetAlias', 'UpdateFunctionCode', 'GetFunction', 'PublishVersion', 'UpdateAlias']) {
      await org.fault({ kind, operation, times: 1 })
    }
    expect((await waitUntilEnded(org, (await fn.deploy()).id)).status).toBe('SUCCESS')
  })
})

describe('an invalid deploy block', () => {
  test('is rejected with the path of every error', async () => {
    const { org, fn } = await start({
      block: {
        // The published module version could not be known to be invalid.
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
              'deploy.definition.s3_key is required for an archive',
              'deploy.infrastructure.s3_artifact_bucket is required for an archive',
            ],
          },
        ],
      },
    })
  })

  test('is rejected for a stage at which functions do not pause', async () => {
    const { org, fn } = await start({ strategy: { ...canary, pause_stages: pauseAt('POST_SCALE_UP') } })
    const answer = await org.client.ask('POST', '/deployments', {
      data: { moduleInstanceId: fn.moduleInstanceId, description: 'Wrong', inputs: { s3_key: 'v2.zip' } },
    })
    const fault =
      'deploy.strategy.pause_stages[0].stage: expected one of PRE_PRODUCTION_TRAFFIC_SHIFT, POST_PRODUCTION_TRAFFIC_SHIFT'
    expect(answer).toMatchObject({ status: 422, body: { details: [{ items: [fault] }] } })
  })
})

describe.concurrent('a strategy with weighted routing that the alias does not support', () => {
  const refused = { code: 'Sluice:Deployments:CALLS_NOT_SHARED' }

  test('is rejected before any code is published, because the alias has provisioned concurrency', async () => {
    const { org, fn } = await start({ strategy: canary })
    const provision = { FunctionName: fn.functionArn, Qualifier: 'live', ProvisionedConcurrentExecutions: 1 }
    await org.clients.lambda.send(new PutProvisionedConcurrencyConfigCommand(provision))
    const failed = await org.untilStatus((await fn.deploy()).id, 'ERROR')
    expect(failed.error).toMatchObject({ ...refused, message: expect.stringContaining('provisioned concurrency') })
    expect(failed.error?.description).toContain('all_at_once')
    expect(await updatesIn(org)).toEqual([])
    expect(await org.calls('PublishVersion')).toEqual([])
  })

  test('is rejected before any code is published, because the function has another role than the running version', async () => {
    const { org, fn } = await start({ strategy: canary })
    const Role = `arn:aws:iam::${org.accountNumber}:role/another`
    await org.clients.lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName: fn.functionArn, Role }))
    const failed = await org.untilStatus((await fn.deploy()).id, 'ERROR')
    expect(failed.error).toMatchObject({ ...refused, message: expect.stringContaining('another execution role') })
    expect(await updatesIn(org)).toEqual([])
  })

  test('is tried anyway if the role cannot check it, and all-at-once is never rejected', async () => {
    const { org, fn } = await start({ strategy: canary })
    await org.deny('lambda:GetProvisionedConcurrencyConfig')
    await org.untilStatus((await fn.deploy()).id, 'SUCCESS')
    const other = await start()
    const provision = { FunctionName: other.fn.functionArn, Qualifier: 'live', ProvisionedConcurrentExecutions: 1 }
    await other.org.clients.lambda.send(new PutProvisionedConcurrencyConfigCommand(provision))
    await other.org.untilStatus((await other.fn.deploy()).id, 'SUCCESS')
  })
})
