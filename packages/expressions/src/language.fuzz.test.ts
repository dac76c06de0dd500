import fc from 'fast-check'
import { expect, test } from 'vitest'
import { seedOf, testSeed } from '../../../testing/seed.ts'
import { context, source } from './arbitraries.fixture.ts'
import { check } from './check.ts'
import { ExpressionError } from './errors.ts'
import { referencesIn } from './references.ts'
import { render, renderText } from './render.ts'

const numRuns = Number(process.env.FUZZ_TEMPLATES ?? 10_000)
const seed = seedOf('FUZZ_SEED') ?? testSeed
/** Maximum time of a rendering in milliseconds, far above what the limits allow. */
const slowMs = 5_000

test('any template is rendered or rejected within the time limit', { timeout: 3_600_000 }, () => {
  const property = fc.property(source, context, (text, roots) => {
    const from = performance.now()
    const value = { a: `<< ${text} >>`, b: [text, `...<< ${text} >>`], '...c': `<< ${text} >>` }
    for (const work of [() => render(value, roots), () => renderText(`x << ${text} >>`, roots)]) {
      try {
        work()
      } catch (error) {
        expect(error).toBeInstanceOf(ExpressionError)
      }
    }
    expect(check(value, { a: 'any', b: { c: 'any' } })).toBeInstanceOf(Array)
    expect(referencesIn(value)).toBeInstanceOf(Array)
    expect(performance.now() - from).toBeLessThan(slowMs)
  })
  fc.assert(property, { numRuns, seed })
})
