import type { DeploymentAnalysis } from '@sluice/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addMeasurements, analysesAt, dueAt, type Measurement, runningOf } from './machine.ts'
import type { AnalysisSpec } from './spec.ts'

const now = new Date('2026-11-20T10:00:00.000Z')
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000)

const names = ['errors', 'latency']
const check = { http: { url: 'https://shop.example', headers: {}, status: 200 } }
const specOf = (wish: Partial<AnalysisSpec> = {}): AnalysisSpec => ({
  intervalSeconds: 60,
  count: 2,
  failureLimit: 0,
  inconclusiveLimit: 0,
  checks: names.map((name) => ({ name, ...check })),
  ...wish,
})
const specs = fc
  .record({
    count: fc.integer({ min: 1, max: 4 }),
    failureLimit: fc.integer({ min: 0, max: 3 }),
    inconclusiveLimit: fc.integer({ min: 0, max: 3 }),
  })
  .map(specOf)

const pause = { hookId: 'hook-1', lifecycleStage: 'POST_TEST_TRAFFIC_SHIFT' }
const bake = { lifecycleStage: 'BAKE_TIME' }

type Outcome = Measurement['outcome']
const outcomes = fc.constantFrom<Outcome[]>('SUCCESSFUL', 'FAILED', 'INCONCLUSIVE')
const rounds = fc.array(fc.tuple(outcomes, outcomes), { maxLength: 12 })

function begun(point: typeof pause | typeof bake, spec: AnalysisSpec): DeploymentAnalysis {
  const [analysis] = analysesAt([], spec, point, now)
  if (!analysis) throw new Error('nothing began')
  return analysis
}

/** Applies the measurements in order until the analysis is complete or the measurements run out. */
function run(analysis: DeploymentAnalysis, spec: AnalysisSpec, measured: [Outcome, Outcome][]): DeploymentAnalysis {
  return measured.reduce((so, round, index) => {
    if (so.completedAt) return so
    const measurements = round.map((outcome, place) => ({ check: names[place] ?? '', outcome, message: 'measured' }))
    return addMeasurements(so, spec, measurements, later(60 * (index + 1)))
  }, analysis)
}

test('a pause continues only when every check has succeeded often enough', () => {
  fc.assert(
    fc.property(specs, rounds, (spec, measured) => {
      const { action, checks, outcome } = run(begun(pause, spec), spec, measured)
      const isGood = checks.every(({ successful }) => successful >= spec.count)
      const isBad = checks.some(({ failed }) => failed > spec.failureLimit)
      const isUnknown = checks.some(({ inconclusive }) => inconclusive > spec.inconclusiveLimit)
      if (action === 'CONTINUE') expect([isGood, isBad, isUnknown]).toEqual([true, false, false])
      if (isBad) expect([action, outcome]).toEqual(['ROLLBACK', 'FAILED'])
      if (action === 'HOLD') expect([isBad, isUnknown]).toEqual([false, true])
      if (isGood && !isBad && !isUnknown) expect(action).toBe('CONTINUE')
    }),
  )
})

test('a bake only ever causes a rollback: the cloud decides when it ends', () => {
  fc.assert(
    fc.property(specs, rounds, (spec, measured) => {
      const { action, checks } = run(begun(bake, spec), spec, measured)
      const isBad = checks.some(({ failed }) => failed > spec.failureLimit)
      expect(action).toBe(isBad ? 'ROLLBACK' : undefined)
    }),
  )
})

test('only actual measurements count, and none counts after the end', () => {
  fc.assert(
    fc.property(specs, rounds, (spec, measured) => {
      const analysis = run(begun(pause, spec), spec, measured)
      const taken = analysis.checks.map(({ successful, failed, inconclusive }) => successful + failed + inconclusive)
      expect(new Set(taken).size, 'every check is measured as often').toBe(1)
      expect(taken[0]).toBeLessThanOrEqual(measured.length)
      if (!analysis.completedAt) expect(taken[0]).toBe(measured.length)
    }),
  )
})

test('at most one analysis is in progress, for the current step of the release, and none for a pause that has ended', () => {
  const points = fc.constantFrom(undefined, bake, pause, { hookId: 'hook-2' }, { lifecycleStage: 'OTHER' })
  fc.assert(
    fc.property(fc.array(points, { maxLength: 10 }), (path) => {
      const spec = specOf()
      let analyses: DeploymentAnalysis[] = []
      for (const [index, point] of path.entries()) {
        analyses = analysesAt(analyses, spec, point, later(index))
        expect(analyses.filter(({ completedAt }) => completedAt === undefined).length).toBeLessThanOrEqual(1)
        const running = runningOf(analyses)
        // A pause cannot start again after it has ended; a bake can be interrupted by a pause and resume.
        const sinceFirst = path.slice(path.indexOf(point), index)
        const isOver = point !== undefined && 'hookId' in point && sinceFirst.some((one) => one !== point)
        expect(running === undefined).toBe(point === undefined || isOver)
        if (running) expect(running).toMatchObject(point ?? {})
        expect(analysesAt(analyses, spec, point, later(index)), 'looking again changes nothing').toEqual(analyses)
      }
    }),
  )
})

test('a pause is not measured again after its decision', () => {
  const spec = specOf({ inconclusiveLimit: 0 })
  const held = run(begun(pause, spec), spec, [
    ['INCONCLUSIVE', 'SUCCESSFUL'],
    ['SUCCESSFUL', 'SUCCESSFUL'],
  ])
  expect(held).toMatchObject({ action: 'HOLD', outcome: 'INCONCLUSIVE' })
  expect(analysesAt([held], spec, pause, later(600))).toEqual([held])
})

test('the first measurement is one interval after the start, and the next one an interval after the previous one', () => {
  const spec = specOf({ intervalSeconds: 30 })
  const analysis = begun(pause, spec)
  expect(dueAt(analysis, spec)).toEqual(later(30))
  const [errors, latency] = names.map((name) => ({ check: name, outcome: 'SUCCESSFUL' as const, message: 'good' }))
  const after = addMeasurements(analysis, spec, [errors, latency] as Measurement[], later(47))
  expect(dueAt(after, spec)).toEqual(later(77))
})
