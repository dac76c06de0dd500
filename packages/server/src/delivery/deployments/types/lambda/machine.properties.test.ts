import { functionPauseStages } from '@sluice/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { PauseStage } from '../../../../cloud/facts/pause-stage.ts'
import type { AnalysisSpec } from '../../analysis/spec.ts'
import { isFinal } from '../../execution/machine.ts'
import { check, releaseOf, World } from './environment.fixture.ts'
import type { Delivery } from './model-cloud.fixture.ts'
import type { LambdaRelease, LambdaStrategy } from './release.ts'
import { bakeMinutesAfter, sharesOf } from './track.ts'

const pauses: fc.Arbitrary<PauseStage[]> = fc.array(
  fc.record({
    stage: fc.constantFrom(...functionPauseStages),
    timeoutInMinutes: fc.integer({ min: 1, max: 60 }),
    timeoutAction: fc.constantFrom('ROLLBACK' as const, 'CONTINUE' as const),
  }),
  { maxLength: 3 },
)

const strategies: fc.Arbitrary<LambdaStrategy> = fc
  .record({
    type: fc.constantFrom('all_at_once' as const, 'linear' as const, 'canary' as const),
    bakeTimeInMinutes: fc.integer({ min: 0, max: 5 }),
    stepBake: fc.integer({ min: 0, max: 3 }),
    pauseStages: pauses,
    percent: fc.integer({ min: 10, max: 100 }),
  })
  .map(({ type, percent, stepBake, ...rest }) => ({
    type,
    ...rest,
    ...(type === 'linear' ? { linear: { stepPercent: percent, stepBakeTimeInMinutes: stepBake } } : {}),
    ...(type === 'canary' ? { canary: { canaryPercent: percent, canaryBakeTimeInMinutes: stepBake } } : {}),
  }))

/** A redeployment of an existing or deleted version, or a release of new code. */
const versions: fc.Arbitrary<Partial<LambdaRelease>> = fc.constantFrom(
  {},
  { version: { version: '4', codeSha256: 'new' } },
  { version: { version: '3', codeSha256: 'other than what is there' } },
  { version: { version: '2', codeSha256: 'new' } },
  { version: { version: '2', codeSha256: 'gone' } },
)

const analyses: fc.Arbitrary<AnalysisSpec | undefined> = fc.option(
  fc.record({
    intervalSeconds: fc.constantFrom(10, 60, 600),
    count: fc.integer({ min: 1, max: 3 }),
    failureLimit: fc.integer({ min: 0, max: 2 }),
    inconclusiveLimit: fc.integer({ min: 0, max: 2 }),
    checks: fc.constant([check]),
  }),
  { nil: undefined },
)

type Happening = (world: World) => void | Promise<void>
const loses = (delivery: Delivery): Happening => {
  return async (world) => {
    world.cloud.delivery = delivery
    await world.advance()
    world.cloud.delivery = 'answered'
  }
}
const happenings: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 10, arbitrary: fc.constant<Happening>((world) => world.advance()) },
  { weight: 5, arbitrary: fc.constant<Happening>((world) => world.cloud.step()) },
  { weight: 3, arbitrary: fc.constantFrom<Happening>(loses('answer-lost'), loses('late')) },
  { weight: 2, arbitrary: fc.constant<Happening>((world) => world.cloud.deliverLate()) },
  { weight: 2, arbitrary: fc.constant<Happening>((world) => world.start()) },
  {
    weight: 3,
    arbitrary: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }).map(
      (hook): Happening =>
        (world) =>
          world.continue(hook),
    ),
  },
  { weight: 1, arbitrary: fc.constant<Happening>((world) => world.cancel()) },
  {
    weight: 3,
    arbitrary: fc.integer({ min: 1, max: 10 }).map(
      (minutes): Happening =>
        (world) =>
          world.wait(minutes),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Happening>(
      ({ cloud, row }) => (isFinal(row.status) ? undefined : cloud.moveByOthers()),
      ({ cloud }) => cloud.describeByOthers(),
      ({ cloud }) => cloud.updateByOthers(),
      ({ cloud }) => cloud.configureByOthers(),
      (world) => {
        world.answers = world.answers === 200 ? 503 : 200
      },
      (world) => {
        world.answers = 'nothing'
      },
      ({ cloud }) => {
        cloud.fails = 'update'
      },
      ({ cloud }) => {
        cloud.fails = 'version'
      },
      ({ cloud }) => {
        cloud.denied = cloud.denied ? undefined : 'UpdateAlias'
      },
    ),
  },
)

test('every sequence of events keeps the guarantees of a deployment, and ends', async () => {
  const property = fc.asyncProperty(
    strategies,
    versions,
    analyses,
    fc.array(happenings, { maxLength: 60, size: 'max' }),
    async (strategy, more, analysis, happen) => {
      const world = new World(releaseOf(strategy, { ...more, ...(analysis ? { analysis } : {}) }))
      const { cloud } = world
      cloud.versions.clear()
      cloud.versions.set('3', { sha: 'older', state: 'Active' })
      cloud.versions.set('4', { sha: 'new', state: 'Active' })
      cloud.versions.set('6', { sha: 'old', state: 'Active' })
      for (const one of happen) await one(world)
      await world.runOut()
      const atEnd = cloud.routing
      cloud.deliverLate()

      const { row } = world
      expect(isFinal(row.status), `still ${row.status}, waiting for ${row.waitingFor}`).toBe(true)
      expect(row.status === 'SUCCESS' || row.error !== null, `${row.status} says why`).toBe(true)
      const isUncertain = row.error?.code.includes(':ROLLBACK_') // the error says that either version may be running
      if (!isUncertain) expect(cloud.routing, 'nothing that was on its way moves the alias afterwards').toEqual(atEnd)
      const fresh = [...cloud.versions].filter(([number, { sha }]) => Number(number) > 6 && sha === 'new')
      expect(fresh.length, 'versions of one code').toBeLessThanOrEqual(1)
      expect(cloud.updates.length, 'updates of the code').toBeLessThanOrEqual(1)

      if (row.status === 'SUCCESS') expect(cloud.isAt({ version: row.data.version ?? '' })).toBe(true)
      if ((row.status === 'CANCELLED' || row.status === 'ROLLED_BACK') && !cloud.isForeign) {
        expect(cloud.routing).toEqual({ version: '6' })
      }
      const forward = cloud.moves.filter(({ version, additionalVersion }) => version !== '6' || additionalVersion)
      expect(forward.length, 'shifts').toBeLessThanOrEqual(sharesOf(strategy).length)
      for (const [index, at] of world.shiftedAt.slice(1).entries()) {
        const bakedMs = at.getTime() - (world.shiftedAt[index]?.getTime() ?? 0)
        expect(bakedMs, 'bake').toBeGreaterThanOrEqual(bakeMinutesAfter(strategy, index + 1) * 60_000)
      }

      for (const one of row.data.analysis ?? []) {
        expect(
          one.checks.map(({ outcome }) => outcome),
          'nothing is measured after the end',
        ).not.toContain('RUNNING')
        expect(one.completedAt, 'what is over is not analysed any more').toBeDefined()
        const isGood = one.hookId !== undefined && one.outcome === 'SUCCESSFUL'
        expect(one.action === 'CONTINUE', 'only good checks go on from a pause').toBe(isGood)
        expect(one.action === 'ROLLBACK', 'bad checks turn back').toBe(one.outcome === 'FAILED')
      }
      if (row.data.analysis?.some(({ action }) => action === 'ROLLBACK')) expect(row.status).not.toBe('SUCCESS')

      const events = row.data.events ?? []
      const paused = events.filter((event) => event.stepCode === 'PAUSED').map((event) => event.hookId)
      expect(paused, 'each pause once, with a hook of its own').toEqual(row.progress.hooks.map(({ hookId }) => hookId))
      expect(new Set(paused).size).toBe(paused.length)
      const steps = events.map((event) => event.currentStep)
      expect(Math.min(...steps)).toBeGreaterThanOrEqual(1)
      for (const { currentStep, totalSteps } of events) expect(currentStep).toBeLessThanOrEqual(totalSteps)
      expect(steps, 'steps only go on').toEqual([...steps].sort((one, other) => one - other))
    },
  )
  await fc.assert(property, { numRuns: 2_000 })
}, 60_000)
