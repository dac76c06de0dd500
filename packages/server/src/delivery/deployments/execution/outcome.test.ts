import { createOutbound } from '@sluice/outbound/send'
import pino from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { openCloud } from '../../../cloud/adapter/access.ts'
import type { PauseStage } from '../../../cloud/facts/pause-stage.ts'
import { createMeasure } from '../analysis/measure.ts'
import type { DeploymentRow } from '../store/tables.ts'
import { typeOf } from '../types/deployment-types.ts'
import { check, releaseOf, World } from '../types/lambda/environment.fixture.ts'
import type { LambdaStrategy } from '../types/lambda/release.ts'
import { pace } from '../types/model-environment.fixture.ts'
import { outcomeOf } from './outcome.ts'
import { later } from './state.ts'

const account = { id: 'ca_1', organizationId: 'org_1', roleArn: 'arn:aws:iam::111122223333:role/x', externalId: 'x' }

/** Creates a release that waits for two weeks at most, with checks during the pause. */
async function pausedAndChecked() {
  const pause: PauseStage = {
    stage: 'PRE_PRODUCTION_TRAFFIC_SHIFT',
    timeoutInMinutes: 20_160,
    timeoutAction: 'ROLLBACK',
  }
  const strategy: LambdaStrategy = { type: 'all_at_once', bakeTimeInMinutes: 0, pauseStages: [pause] }
  const limits = { intervalSeconds: 60, count: 2, failureLimit: 0, inconclusiveLimit: 0 }
  const world = new World(releaseOf(strategy, { analysis: { ...limits, checks: [check] } }))
  world.start()
  while (world.row.progress.step !== 'pause') {
    await world.advance()
    world.cloud.step()
    world.passToWakeUp()
  }
  const { wakeAt } = world.row
  if (!wakeAt) throw new Error('nothing wakes it')
  return { row: world.row as unknown as DeploymentRow, dueAt: wakeAt }
}

test('checks that become due during a poll are measured at once, not when the pause ends', async () => {
  const { row, dueAt } = await pausedAndChecked()
  const cloud = openCloud()
  onTestFinished(() => cloud.close())
  const past = { listSiteReleases: async () => [], listFunctionReleases: async () => [] }
  const rest = {
    measure: createMeasure(createOutbound()),
    lendAccess: async () => undefined,
    checkStart: async () => undefined,
    findMissingParts: async () => ({ images: [], logGroups: [] }),
    log: pino({ level: 'silent' }),
  }
  const lookEndingAt = (now: Date) => {
    const parts = { ...past, cloud, pace, crowdMs: () => 0, clock: () => now, ...rest }
    return outcomeOf(parts, { row, account, isTold: false, readAt: performance.now() }, row, { do: 'proceed' })
  }

  const { nextAction } = typeOf(row)
  expect(nextAction(row, later(dueAt, -1)), 'a timer may fire a moment early').toEqual({ do: 'proceed' })
  expect((await lookEndingAt(later(dueAt, -1))).wakeAt).toEqual(dueAt)
  const late = await lookEndingAt(dueAt)
  expect(late.wakeAt).toEqual(dueAt)
  expect(nextAction(late, dueAt)).toEqual({ do: 'measure' })
})
