import { servicePauseStages } from '@sluice/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { EcsStrategy } from '../../../../cloud/facts/ecs.ts'
import type { PauseStage } from '../../../../cloud/facts/pause-stage.ts'
import type { Check } from '../../analysis/spec.ts'
import { isFinal } from '../../execution/machine.ts'
import { createContinueRequest, pace } from '../model-environment.fixture.ts'
import { ecs } from './deployment-type.ts'
import { command, releaseOf, runOut, World } from './environment.fixture.ts'
import { nextAction, onRejected } from './machine.ts'

const pauses: fc.Arbitrary<PauseStage[]> = fc.uniqueArray(
  fc.record({
    stage: fc.constantFrom(...servicePauseStages),
    timeoutInMinutes: fc.integer({ min: 1, max: 60 }),
    timeoutAction: fc.constantFrom('ROLLBACK' as const, 'CONTINUE' as const),
  }),
  { selector: ({ stage }) => stage, maxLength: 4 },
)
const strategies: fc.Arbitrary<EcsStrategy> = fc.oneof(
  fc.constant({ type: 'rolling' as const }),
  fc
    .record({
      type: fc.constantFrom('blue_green' as const, 'linear' as const, 'canary' as const),
      pauseStages: pauses,
      percent: fc.integer({ min: 10, max: 60 }),
    })
    .map(({ type, pauseStages, percent }) => ({
      type,
      bakeTimeInMinutes: 5,
      pauseStages,
      ...(type === 'linear' ? { linear: { stepPercent: percent, stepBakeTimeInMinutes: 1 } } : {}),
      ...(type === 'canary' ? { canary: { canaryPercent: percent, canaryBakeTimeInMinutes: 1 } } : {}),
    })),
)

const extras = fc.record(
  {
    preDeploy: fc.constant(command),
    postDeploy: fc.constantFrom(
      { ...command, failureAction: 'ROLLBACK' as const },
      { ...command, failureAction: 'FAIL' as const },
    ),
    analysis: fc.record({
      intervalSeconds: fc.constantFrom(1, 60),
      count: fc.integer({ min: 1, max: 3 }),
      failureLimit: fc.integer({ min: 0, max: 2 }),
      inconclusiveLimit: fc.integer({ min: 0, max: 2 }),
      checks: fc.constant<Check[]>([
        { name: 'errors', http: { url: 'https://shop.example', headers: {}, status: 200 } },
      ]),
    }),
  },
  { requiredKeys: [] },
)

type Move = (world: World) => void
const moves: fc.Arbitrary<Move> = fc.oneof(
  { weight: 8, arbitrary: fc.constant<Move>((world) => world.advance()) },
  { weight: 6, arbitrary: fc.constant<Move>((world) => world.cloud.step(world.now.getTime())) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Move>(
      (world) => world.advance('effect'),
      (world) => world.advance('arrival'),
      (world) => world.advance('save'),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constant<Move>((world) => world.start()),
  },
  {
    weight: 3,
    arbitrary: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }).map(
      (hook): Move =>
        (world) => {
          const decision = ecs.continueAfterPause(
            world.row,
            createContinueRequest(hook === undefined ? undefined : `hook-${hook}`),
            world.now,
          )
          if (decision.verdict === 'accepted') world.save(decision.deployment)
        },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constant<Move>((world) => world.cancel()),
  },
  {
    weight: 2,
    arbitrary: fc.integer({ min: 1, max: 40 }).map(
      (minutes): Move =>
        (world) => {
          world.pass(minutes * 60_000)
          world.cloud.expire(world.now.getTime())
        },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('SUCCESSFUL' as const, 'FAILED' as const, 'INCONCLUSIVE' as const).map(
      (outcome): Move =>
        (world) => {
          world.cloud.check = outcome
        },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Move>(
      (world) => world.cloud.fail('breaker'),
      (world) => world.cloud.fail('stopped'),
      (world) => {
        world.cloud.exitCode = 1
      },
      (world) => {
        world.cloud.hangs = true
      },
      (world) => {
        // A user continues the pause in the cloud's own console.
        const hook = world.cloud.awaiting()
        if (hook) world.cloud.continue(hook.hookId)
      },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Move>(
      (world) => world.trouble(),
      (world) => {
        const action = nextAction(world.row, world.now)
        if (action.do === 'rest' || action.do === 'expire') return
        world.save(onRejected(world.row, { name: 'AccessDenied', message: 'no' }, action, pace, world.now))
      },
    ),
  },
)

test('every sequence of events keeps the guarantees of a deployment, and ends', () => {
  fc.assert(
    fc.property(strategies, extras, fc.array(moves, { maxLength: 60, size: 'max' }), (strategy, also, happenings) => {
      const world = new World({ ...releaseOf(strategy), ...also })
      for (const happen of happenings) happen(world)
      runOut(world)

      const { row, cloud } = world
      expect(isFinal(row.status), `still ${row.status}, waiting for ${row.waitingFor}`).toBe(true)
      const { isReverting } = row.progress
      expect(cloud.taskDefinitions.length, 'registered task definitions').toBeLessThanOrEqual(1)
      expect(cloud.updates, 'updates of the service').toBeLessThanOrEqual(isReverting ? 2 : 1)
      expect(Math.max(0, ...cloud.continues.values()), 'continues of one hook').toBeLessThanOrEqual(1)
      expect(row.status === 'SUCCESS' || row.error !== null, `${row.status} says why`).toBe(true)

      const events = row.data.events ?? []
      const paused = events.filter((event) => event.stepCode === 'PAUSED').map((event) => event.hookId)
      expect(paused.sort(), 'each pause once').toEqual([...world.seenHooks].sort())
      const steps = events.map((event) => event.currentStep)
      expect(Math.min(...steps)).toBeGreaterThanOrEqual(1)
      for (const { currentStep, totalSteps } of events) expect(currentStep).toBeLessThanOrEqual(totalSteps)
      expect(steps, 'steps only go on').toEqual([...steps].sort((one, other) => one - other))
      if (row.status === 'CANCELLED') {
        expect(cloud.deployment?.status ?? 'STOPPED', 'nothing of a cancelled one runs on').toBe('STOPPED')
      }
      for (const one of row.data.analysis ?? []) {
        expect(
          one.checks.map(({ outcome }) => outcome),
          'nothing is measured after the end',
        ).not.toContain('RUNNING')
        expect(one.action === 'CONTINUE', 'only good checks continue').toBe(
          one.hookId !== undefined && one.outcome === 'SUCCESSFUL',
        )
        expect(one.action === 'ROLLBACK', 'bad checks turn back').toBe(one.outcome === 'FAILED')
      }
      const hasFailed = row.data.analysis?.some(({ action }) => action === 'ROLLBACK')
      if (hasFailed) expect(row.status, 'a release that was rolled back is no success').not.toBe('SUCCESS')
      if (row.error?.code === 'Sluice:Deployments:PRE_DEPLOY_FAILED') expect(cloud.updates).toBe(0)
      if (row.status === 'ROLLED_BACK' && isReverting) {
        expect(cloud.primary.taskDefinitionArn, 'what ran before').toBe('arn:td/web:1')
      }
      if (row.status === 'SUCCESS') {
        expect([...cloud.commands.values()].map(({ exitCode }) => exitCode)).toEqual(
          [also.preDeploy, also.postDeploy].flatMap((one) => (one ? [0] : [])),
        )
        expect(cloud.deployment?.status).toBe('SUCCESSFUL')
        expect(paused.sort(), 'every pause of the cloud').toEqual(
          cloud.deployment?.hooks.map((one) => one.hookId).sort(),
        )
      }
    }),
    { numRuns: 3_000 },
  )
})
