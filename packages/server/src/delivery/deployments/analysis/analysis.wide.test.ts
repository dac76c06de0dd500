import { CreateLogGroupCommand, CreateLogStreamCommand, PutLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../../testing/eventually.ts'
import { testFunction } from '../../../testing/functions.ts'
import { blueGreen, pausing } from '../../../testing/strategies.ts'
import { startStubServer } from '../../../testing/stub-server.ts'
import { ecsDataOf, startWorld, type TestOrganization, type World } from '../../../testing/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld({ env: { SLUICE_OUTBOUND_ALLOW: '127.0.0.1' } })
})
afterAll(() => world?.[Symbol.asyncDispose]())

const pausingBeforeUsers = pausing(blueGreen, ['POST_TEST_TRAFFIC_SHIFT'])

const request = (url: string) => ({ name: 'smoke', http: { url: `${url}/healthz` } })
const errors = { name: 'errors', metric: { namespace: 'Shop', name: 'Errors', statistic: 'Sum' }, at_most: 5 }

async function analysed(strategy: Record<string, unknown>, analysis: Record<string, unknown>) {
  const org = await world.organization({ deploy: { analysis: { interval: 1, count: 2, ...analysis } } })
  const { moduleInstanceId } = await org.service(strategy)
  return { org, id: (await org.deploy(moduleInstanceId)).id }
}

describe.concurrent('the analysis of a release', () => {
  test('continues a pause automatically when every check has succeeded often enough', async () => {
    await using shop = await startStubServer()
    const { org, id } = await analysed(pausingBeforeUsers, { checks: [request(shop.url)] })

    const done = await org.untilStatus(id, 'SUCCESS', 'ROLLED_BACK')

    expect(done.status).toBe('SUCCESS')
    expect((await org.analyses(id))[0]).toMatchObject({
      lifecycleStage: 'POST_TEST_TRAFFIC_SHIFT',
      outcome: 'SUCCESSFUL',
      action: 'CONTINUE',
      checks: [{ name: 'smoke', successful: 2, failed: 0, inconclusive: 0, lastValue: 200 }],
    })
    expect(ecsDataOf(done).acceptedPauseControl).toMatchObject({ action: 'CONTINUE' })
    expect(await org.calls('ContinueServiceDeployment', { accepted: true })).toHaveLength(1)
  })

  test('rolls back a paused release when a check fails, and reports which check and its value', async () => {
    await using shop = await startStubServer(() => ({ status: 503 }))
    const { org, id } = await analysed(pausingBeforeUsers, { checks: [request(shop.url)] })

    const over = await org.untilStatus(id, 'ROLLED_BACK')

    expect(over.error).toMatchObject({
      code: 'Sluice:Deployments:ANALYSIS_FAILED',
      message: 'The release was rolled back because a check failed at POST_TEST_TRAFFIC_SHIFT: smoke.',
      details: [{ title: 'Checks', items: [expect.stringContaining('answered 503')] }],
    })
    expect(await org.analyses(id)).toMatchObject([{ outcome: 'FAILED', action: 'ROLLBACK' }])
  })

  test('tolerates as many failures as the module allows', async () => {
    let failures = 0
    await using shop = await startStubServer(() => {
      failures += 1
      return { status: failures <= 2 ? 503 : 200 }
    })
    const checks = [request(shop.url)]
    const { org, id } = await analysed(pausingBeforeUsers, { failure_limit: 2, checks })

    expect((await org.untilStatus(id, 'SUCCESS', 'ROLLED_BACK')).status).toBe('SUCCESS')
    expect((await org.analyses(id))[0]?.checks).toMatchObject([{ successful: 2, failed: 2 }])
  })

  test('sends no request to an address that only the server can reach', async () => {
    const checks = [request('http://169.254.169.254')]
    const { org, id } = await analysed(pausingBeforeUsers, { inconclusive_limit: 0, checks })

    const held = await eventually(
      'held',
      () => org.analyses(id),
      ([first]) => first?.action !== undefined,
    )

    expect(held[0]).toMatchObject({
      action: 'HOLD',
      checks: [{ message: expect.stringContaining('169.254.169.254 is not on the public internet') }],
    })
  })

  test('does not prevent a user from continuing before it is complete', async () => {
    await using shop = await startStubServer()
    const { org, id } = await analysed(pausingBeforeUsers, { interval: 3_600, checks: [request(shop.url)] })

    expect((await org.continueToEnd(id)).status).toBe('SUCCESS')
    expect(shop.received).toEqual([])
    expect((await org.analyses(id))[0]).toMatchObject({ outcome: 'INCONCLUSIVE', completedAt: expect.any(String) })
  })

  test('is rejected with the release if it could never have a result', async () => {
    const checks = [{ name: 'both', metric: errors.metric, http: { url: 'https://shop.example' } }, { name: 'both' }]
    const org = await world.organization({ deploy: { analysis: { checks } } })
    const { moduleInstanceId } = await org.service()

    const data = { moduleInstanceId, description: 'x', inputs: { image_ref: 'shop/app:2' } }
    const answer = await org.client.ask('POST', '/deployments', { data })

    expect(answer).toMatchObject({ status: 422, body: { code: 'Sluice:Deployments:RELEASE_INVALID' } })
    expect((answer.body as { details: { items: string[] }[] }).details[0]?.items).toEqual([
      'deploy.analysis.checks[1].name must be unique',
      'deploy.analysis.checks[0] must have either metric or http',
      'deploy.analysis.checks[1] must have either metric or http',
      'deploy.analysis.checks[0] must have at_least or at_most',
      'deploy.analysis must be absent: a rolling release has neither pauses nor bake times',
    ])
  })
})

const functionCanary = {
  type: 'canary',
  bake_time_in_minutes: 0,
  canary: { canary_percent: 10, canary_bake_time_in_minutes: 0 },
}

async function functionAnalysed(strategy: Record<string, unknown>, analysis: Record<string, unknown>) {
  const org = await world.organization()
  const fn = await testFunction(org, { strategy, block: { analysis: { interval: 1, count: 2, ...analysis } } })
  return { org, fn, id: (await fn.deploy()).id }
}

/** Writes to a log stream as Lambda does: its name contains the day and the version. */
async function writeLog(
  { clients: { logs } }: TestOrganization,
  functionArn: string,
  { version, lines }: { version: number; lines: string[] },
): Promise<void> {
  const logGroupName = `/aws/lambda/${functionArn.split(':').at(-1)}`
  const day = new Date().toISOString().slice(0, 10).replaceAll('-', '/')
  const stream = { logGroupName, logStreamName: `${day}/[${version}]0123456789abcdef` }
  if (version === 1) await logs.send(new CreateLogGroupCommand({ logGroupName }))
  await logs.send(new CreateLogStreamCommand(stream))
  const logEvents = lines.map((message) => ({ timestamp: Date.now(), message: `${message}\n` }))
  await logs.send(new PutLogEventsCommand({ ...stream, logEvents }))
}

describe.concurrent('the analysis of a function release', () => {
  test('continues every pause automatically when every check has succeeded often enough', async () => {
    await using shop = await startStubServer()
    const strategy = pausing(functionCanary, ['PRE_PRODUCTION_TRAFFIC_SHIFT'])
    const { org, id } = await functionAnalysed(strategy, { checks: [request(shop.url)] })

    const done = await org.untilStatus(id, 'SUCCESS', 'ROLLED_BACK')

    expect(done.status).toBe('SUCCESS')
    const good = {
      lifecycleStage: 'PRE_PRODUCTION_TRAFFIC_SHIFT',
      outcome: 'SUCCESSFUL',
      action: 'CONTINUE',
      completedAt: expect.any(String),
      checks: [{ name: 'smoke', successful: 2, failed: 0, inconclusive: 0, lastValue: 200 }],
    }
    expect(await org.analyses(id)).toMatchObject([good, good])
    expect(await org.calls('UpdateAlias', { accepted: true })).toHaveLength(2)
  })

  test('rolls back the release when a check fails, and includes the last log lines of the new version', async () => {
    let hasWritten = false
    await using shop = await startStubServer(() => ({ status: hasWritten ? 503 : 200 }))
    const strategy = pausing(functionCanary, ['PRE_PRODUCTION_TRAFFIC_SHIFT'])
    const analysis = { interval: 1, count: 1_000, checks: [request(shop.url)] }
    const org = await world.organization()
    const fn = await testFunction(org, { strategy, block: { analysis } })
    const { id } = await fn.deploy()
    // Lines from before the release must not be included.
    await org.until(id, 'begun', ({ startedAt }) => startedAt !== undefined)
    const lines = [
      'START RequestId: 1 Version: 2',
      'cannot reach the till',
      'TypeError: undefined',
      'REPORT RequestId: 1',
    ]
    await writeLog(org, fn.functionArn, { version: 1, lines: ['all is well'] })
    await writeLog(org, fn.functionArn, { version: 2, lines })
    hasWritten = true

    const over = await org.untilStatus(id, 'ROLLED_BACK')

    expect(over.error?.details).toMatchObject([
      { title: 'Its last lines', items: ['cannot reach the till', 'TypeError: undefined'] },
      { title: 'Checks' },
    ])
    expect(over.error?.metadata).toMatchObject({ container: 'version 2' })
  })

  test('rolls back the release before any traffic shift when a check fails at its first pause', async () => {
    await using shop = await startStubServer(() => ({ status: 503 }))
    const strategy = pausing(functionCanary, ['PRE_PRODUCTION_TRAFFIC_SHIFT'])
    const { org, id } = await functionAnalysed(strategy, { checks: [request(shop.url)] })

    const over = await org.untilStatus(id, 'ROLLED_BACK')

    expect(over.error).toMatchObject({
      code: 'Sluice:Deployments:ANALYSIS_FAILED',
      message: 'The release was rolled back because a check failed at PRE_PRODUCTION_TRAFFIC_SHIFT: smoke.',
    })
    expect(await org.calls('UpdateAlias')).toEqual([])
  })

  test('is rejected if the release has no pause, or if a probe does not say what to request', async () => {
    const org = await world.organization()
    const block = { analysis: '<< {checks: [{name: "probe", http: {status: 204}}]} >>' }
    const { moduleInstanceId } = await testFunction(org, { block })

    const data = { moduleInstanceId, description: 'x', inputs: { s3_key: 'v2.zip' } }
    const answer = await org.client.ask('POST', '/deployments', { data })

    expect(answer).toMatchObject({ status: 422, body: { code: 'Sluice:Deployments:RELEASE_INVALID' } })
    expect((answer.body as { details: { items: string[] }[] }).details[0]?.items).toEqual([
      'deploy.analysis.checks[0].http.url is required: a release has no address of its own to send the request to',
      'deploy.analysis must be absent: the release has no pause or bake time; set a bake time or pause_stages in deploy.strategy',
    ])
  })
})
