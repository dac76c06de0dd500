import { PutMetricDataCommand } from '@aws-sdk/client-cloudwatch'
import type { DeploymentAnalysis } from '@sluice/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClock } from '../../../platform/clock.ts'
import { eventually } from '../../../testing/eventually.ts'
import { testFunction } from '../../../testing/functions.ts'
import { blueGreen, pausing } from '../../../testing/strategies.ts'
import { eventsOf, startWorld, type TestOrganization, type World } from '../../../testing/world.ts'

/**
 * Milliseconds by which the server's clock is ahead, because metrics arrive once a minute. Used by one test at a time.
 */
let ahead = 0
const clock = createClock(() => new Date(Date.now() + ahead))
const pass = (minutes: number) => {
  ahead += minutes * 60_000
}

let world: World
beforeAll(async () => {
  world = await startWorld({ clock })
})
afterAll(() => world?.[Symbol.asyncDispose]())

const pausingBeforeUsers = pausing(blueGreen, ['POST_TEST_TRAFFIC_SHIFT'])
/** Strategy whose bake time is longer than any test. */
const baking = { ...blueGreen, bake_time_in_minutes: 1_440 }
const errors = { name: 'errors', metric: { namespace: 'Shop', name: 'Errors', statistic: 'Sum' }, at_most: 5 }

/** Releases at the start of a minute, so that points written before the deployment belong to an earlier minute. */
async function analysed(strategy: Record<string, unknown>, analysis: Record<string, unknown>) {
  ahead += 60_000 - (clock.now().getTime() % 60_000)
  const org = await world.organization({ deploy: { analysis: { interval: 1, count: 2, ...analysis } } })
  const { moduleInstanceId } = await org.service(strategy)
  return { org, id: (await org.deploy(moduleInstanceId)).id }
}

/** Puts the number of errors of the shop, or of one version of a function. */
const putErrors = (org: TestOrganization, Value: number, version?: string) => {
  const Dimensions = version === undefined ? [] : [{ Name: 'ExecutedVersion', Value: version }]
  const MetricData = [{ MetricName: 'Errors', Dimensions, Value, Timestamp: clock.now() }]
  return org.clients.metrics.send(new PutMetricDataCommand({ Namespace: 'Shop', MetricData }))
}

/** Puts errors into a minute that begins and ends while the release stays at its current step. */
async function aMinuteWith(org: TestOrganization, value: number, versions: (string | undefined)[] = [undefined]) {
  pass(1)
  for (const version of versions) await putErrors(org, value, version)
  pass(1)
}

/** Waits until the last analysis satisfies `isThere`. */
async function untilAnalysis(
  { org, id }: { org: TestOrganization; id: string },
  what: string,
  isThere: (analysis: DeploymentAnalysis) => boolean,
): Promise<DeploymentAnalysis> {
  const last = await eventually(
    what,
    async () => (await org.analyses(id)).at(-1),
    (one) => one !== undefined && isThere(one),
  )
  if (!last) throw new Error('there is no analysis')
  return last
}

const isMeasured = ({ checks }: DeploymentAnalysis) => checks[0]?.lastMeasuredAt !== undefined
const isGood = ({ checks }: DeploymentAnalysis) => (checks[0]?.successful ?? 0) > 0

describe('a metric check of a release', () => {
  test('ignores points from before the release reached its current step', async () => {
    const { org, id } = await analysed(pausingBeforeUsers, { count: 1, checks: [errors] })
    await putErrors(org, 0)
    const begun = await untilAnalysis({ org, id }, 'measured', isMeasured)
    pass(2)
    await putErrors(org, 0) // in the minute that is still incomplete

    const measured = begun.checks[0]?.lastMeasuredAt ?? ''
    const again = await untilAnalysis(
      { org, id },
      'measured again',
      ({ checks }) => Date.parse(checks[0]?.lastMeasuredAt ?? '') > Date.parse(measured) + 120_000,
    )
    expect(again).toMatchObject({ outcome: 'RUNNING', checks: [{ successful: 0, failed: 0, inconclusive: 0 }] })
    expect(again.checks[0]?.message).toBe('Errors has no data yet')

    pass(1)
    expect((await org.untilStatus(id, 'SUCCESS', 'ROLLED_BACK')).status).toBe('SUCCESS')
  })

  test('rolls back the release during its bake time when the metric crosses its threshold', async () => {
    const { org, id } = await analysed(baking, { checks: [errors] })
    await untilAnalysis({ org, id }, 'baking', ({ lifecycleStage }) => lifecycleStage === 'BAKE_TIME')
    await aMinuteWith(org, 1)
    await untilAnalysis({ org, id }, 'baking well', isGood)

    await aMinuteWith(org, 50)
    const over = await org.untilStatus(id, 'ROLLED_BACK')

    expect(over.error?.code).toBe('Sluice:Deployments:ANALYSIS_FAILED')
    expect(over.error?.message).toContain('at BAKE_TIME: errors')
  })
})

describe('a metric without data', () => {
  const withRule = (no_data: string) => ({ checks: [{ ...errors, no_data, no_data_after: 60 }] })

  test('leaves the pause to a user', async () => {
    const { org, id } = await analysed(pausingBeforeUsers, { inconclusive_limit: 1, ...withRule('wait') })
    await untilAnalysis({ org, id }, 'measured', isMeasured)
    pass(3)

    const held = await untilAnalysis({ org, id }, 'held', ({ action }) => action !== undefined)
    const message = 'Errors has no data, even 60 s late (no_data: wait)'
    expect(held).toMatchObject({ outcome: 'INCONCLUSIVE', action: 'HOLD', checks: [{ inconclusive: 2, message }] })
    expect(eventsOf(await org.get(id)).at(-1)).toMatchObject({
      stepCode: 'ANALYSIS',
      message: expect.stringContaining(message),
    })
    await org.continue(id)

    expect((await org.untilStatus(id, 'SUCCESS', 'ROLLED_BACK')).status).toBe('SUCCESS')
  })

  test('rolls back the release if the module says `fail`', async () => {
    const { org, id } = await analysed(pausingBeforeUsers, withRule('fail'))
    await untilAnalysis({ org, id }, 'measured', isMeasured)
    pass(3)

    const over = await org.untilStatus(id, 'SUCCESS', 'ROLLED_BACK')

    expect(over).toMatchObject({ status: 'ROLLED_BACK', error: { code: 'Sluice:Deployments:ANALYSIS_FAILED' } })
    const message = 'Errors has no data, even 60 s late (no_data: fail)'
    expect(eventsOf(over)).toContainEqual(
      expect.objectContaining({ stepCode: 'ANALYSIS', message: expect.stringContaining(message) }),
    )
  })

  test('continues the release if the module says `pass`, and reports it', async () => {
    const { org, id } = await analysed(pausingBeforeUsers, withRule('continue'))
    await untilAnalysis({ org, id }, 'measured', isMeasured)
    pass(3)

    const over = await org.untilStatus(id, 'SUCCESS', 'ROLLED_BACK')

    expect(over.status).toBe('SUCCESS')
    const message = 'Errors has no data, even 60 s late (no_data: continue)'
    expect(eventsOf(over)).toContainEqual(
      expect.objectContaining({ stepCode: 'ANALYSIS', message: expect.stringContaining(message) }),
    )
  })
})

const pausingOnce = pausing({ type: 'all_at_once' }, ['POST_PRODUCTION_TRAFFIC_SHIFT'])
const canary = {
  type: 'canary',
  bake_time_in_minutes: 0,
  canary: { canary_percent: 10, canary_bake_time_in_minutes: 1_440 },
}
const errorsOfVersion = {
  ...errors,
  metric: { ...errors.metric, dimensions: { ExecutedVersion: '{version}' } },
  no_data_after: 60,
}

async function functionAnalysed(strategy: Record<string, unknown>, analysis: Record<string, unknown>) {
  const org = await world.organization()
  const fn = await testFunction(org, { strategy, block: { analysis: { interval: 1, count: 2, ...analysis } } })
  return { org, fn, id: (await fn.deploy()).id }
}

describe('a metric of a function version', () => {
  test('rolls back the release during its bake time, based on that version alone', async () => {
    const { org, fn, id } = await functionAnalysed(canary, { checks: [errorsOfVersion] })
    await untilAnalysis({ org, id }, 'measured', isMeasured)
    pass(1)
    await putErrors(org, 50, '1')
    await putErrors(org, 1, '2')
    pass(1)
    await untilAnalysis({ org, id }, 'baking well', isGood)

    await aMinuteWith(org, 50, ['2'])
    const over = await org.untilStatus(id, 'ROLLED_BACK')

    expect(over.error?.message).toContain('at PRODUCTION_TRAFFIC_SHIFT: errors')
    expect(await org.analyses(id)).toMatchObject([{ outcome: 'FAILED', action: 'ROLLBACK' }])
    expect(await fn.alias()).toMatchObject({ FunctionVersion: '1' })
  })

  test('leaves the pause to a user when it is inconclusive, and ends when the user cancels the release', async () => {
    const { org, id } = await functionAnalysed(pausingOnce, { inconclusive_limit: 0, checks: [errorsOfVersion] })
    await untilAnalysis({ org, id }, 'measured', isMeasured)
    pass(3)
    await untilAnalysis({ org, id }, 'held', ({ action }) => action === 'HOLD')
    expect((await org.get(id)).status).toBe('IN_PROGRESS')

    await org.cancel(id)

    await org.untilStatus(id, 'ROLLED_BACK')
    const [analysis] = await org.analyses(id)
    expect(analysis).toMatchObject({ outcome: 'INCONCLUSIVE', completedAt: expect.any(String) })
  })
})
