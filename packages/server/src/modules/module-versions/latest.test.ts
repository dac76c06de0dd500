import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { latestOf } from './latest.ts'

test(
  'the latest version is found by semantic versioning',
  everyCase(
    [
      ['numbers, not text', ['1.9.0', '1.10.0'], '1.10.0'],
      ['a release above its trials', ['1.4.0', '1.4.0-3'], '1.4.0'],
      ['trials by their number', ['1.4.0-2', '1.4.0-10'], '1.4.0-10'],
      ['a backport below', ['2.0.0', '1.9.9'], '2.0.0'],
      ['of two builds the later one', ['1.0.0+b', '1.0.0+a'], '1.0.0+a'],
    ],
    (_what, versions, latest) => {
      const published = versions.map((version, index) => ({ id: `mv_${index}`, version }))
      expect(latestOf(published)?.version).toBe(latest)
      expect(latestOf(published.toReversed())?.version).toBe(latest)
    },
  ),
)

test('without versions there is no latest one', () => {
  expect(latestOf([])).toBeUndefined()
})
