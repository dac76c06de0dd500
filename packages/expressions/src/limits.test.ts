import { describe, expect, test } from 'vitest'
import { cpuTimeMs } from '../../../testing/cpu-time.ts'
import { everyCase } from '../../../testing/every-case.ts'
import { check } from './check.ts'
import { ExpressionError } from './errors.ts'
import { evaluate, parse } from './expression.ts'
import { render } from './render.ts'

/** Maximum processor time of a test in milliseconds, about twenty times the usual. */
const patience = 10_000

const nested = (outer: string, inner: string, times: number) => outer.repeat(times) + inner

/** Returns a template that applies `closure` to `inner` repeatedly, each time to the previous result. */
const applied = (closure: string, inner: string, times = 60) =>
  Array.from({ length: times }).reduce<string>((all) => `map([${all}], ${closure})[0]`, inner)

describe('a hostile template is rejected in time', () => {
  test(
    'whatever makes it expensive',
    everyCase(
      [
        ['texts that double', applied('# + #', '"12345678"'), 'builds more than 16 MiB'],
        ['lists that double', applied('# + #', '[1]'), 'builds more than 16 MiB'],
        ['lists of the same lists', `string(${applied('[#, #]', '1')})`, 'builds more than 16 MiB'],
        [
          'comparing the same lists',
          `${applied('[#, #]', '1')} == ${applied('[#, #]', '1')}`,
          'more than 100,000 steps',
        ],
        ['a long range', '1..1000000000000', 'builds more than 16 MiB'],
        ['loops in loops', 'map(1..1000, map(1..1000, 1))', 'more than 100,000 steps'],
        ['a search in long texts', 'map(1..10000, huge contains huge2)', 'more than 100,000 steps'],
        ['long texts that are compared', 'map(1..10000, huge == huge2)', 'more than 100,000 steps'],
        ['long texts that are counted', 'map(1..10000, len(huge))', 'more than 100,000 steps'],
        ['a replacement that grows', 'replace(huge, "a", huge)', 'builds more than 16 MiB'],
        ['a split into letters', 'map(1..100, split(huge, ""))', 'builds more than 16 MiB'],
        ['deep JSON', `fromJSON(deep)`, 'nested deeper than 200 levels'],
        ['JSON of a deep value', `toJSON(fromJSON(deep))`, 'nested deeper than 200 levels'],
        ['a large result', '[huge, huge, huge, huge, huge]', 'the result is larger than 4 MiB'],
        ['brackets', nested('[', '', 100_000), 'nested deeper than 200 levels'],
        ['parentheses', nested('(', '', 100_000), 'nested deeper than 200 levels'],
        ['signs', nested('!', '1', 100_000), 'nested deeper than 200 levels'],
        ['powers', nested('2 ** ', '1', 100_000), 'nested deeper than 200 levels'],
        ['sums', nested('1 + ', '1', 100_000), 'nested deeper than 200 levels'],
        ['members', `huge${'.a'.repeat(100_000)}`, 'nested deeper than 200 levels'],
        ['choices', nested('1 ? 1 : ', '1', 100_000), 'nested deeper than 200 levels'],
        ['pipes', `[1]${'| first()'.repeat(100_000)}`, 'nested deeper than 200 levels'],
        ['comments that do not end', '/*'.repeat(400_000), 'this comment does not end'],
        ['a million names', 'a '.repeat(500_000), 'expected the end, found a'],
      ],
      (_, source, message) => {
        const huge = 'a'.repeat(1_000_000)
        const roots = { huge, huge2: `b${huge.slice(1)}`, deep: '['.repeat(100_000) + ']'.repeat(100_000) }
        const from = cpuTimeMs()
        expect(() => evaluate(source, roots)).toThrow(message)
        expect(cpuTimeMs() - from).toBeLessThan(patience)
      },
    ),
  )

  test(
    'however often it opens an expression',
    everyCase(
      [
        ['openings', '<<'.repeat(400_000), 'this << has no >>'],
        ['heredocs', '<<A\n'.repeat(200_000), 'this << has no >>'],
        ['openings of texts', `<< "${'" << "'.repeat(100_000)}`, 'this text does not end'],
        ['templates', '<< 1 >>'.repeat(140_000), 'more than 100,000 steps'],
        ['letters', `<< 1 >>${'x'.repeat(1024 * 1024)}`, 'can have at most 1048576 characters'],
      ],
      (_, text, message) => {
        const from = cpuTimeMs()
        expect(() => render(text, {})).toThrow(message)
        expect(cpuTimeMs() - from).toBeLessThan(patience)
      },
    ),
  )
})

test('a template within the limits is rendered', () => {
  const list = Array.from({ length: 10_000 }, (_, index) => index)
  expect(evaluate('map(list, # * 2)', { list })).toHaveLength(10_000)
  expect(evaluate(`${'('.repeat(150)}1${')'.repeat(150)}`, {})).toBe(1)
  expect(evaluate(nested('1 + ', '1', 150), {})).toBe(151)
})

test('all templates of a value share one set of limits', () => {
  const value = Array.from({ length: 5 }, () => '<< text >>')
  expect(() => render(value, { text: 'x'.repeat(1024 * 1024) })).toThrow('[3]: the result is larger than 4 MiB')
})

test('a value that is nested too deeply is rejected with its path', () => {
  const deep = JSON.parse('['.repeat(1000) + ']'.repeat(1000))
  expect(() => render(deep, {})).toThrow(/nested deeper than 200 levels/)
  expect(render(JSON.parse('['.repeat(200) + ']'.repeat(200)), {})).toBeDefined()
})

test('of a million faults, a thousand are reported', () => {
  const faults = () => {
    try {
      render(
        Array.from({ length: 10_000 }, () => '<< nobody >>'),
        {},
      )
    } catch (error) {
      return error instanceof ExpressionError ? error.faults.length : error
    }
  }
  expect(faults()).toBe(1000)
})

test('unreported faults take no time, however many a text contains', () => {
  const from = cpuTimeMs()
  expect(check('<< a >>\n'.repeat(130_000), {})).toHaveLength(1000)
  expect(cpuTimeMs() - from).toBeLessThan(patience)
})

test('an expression that does not parse is reported once', () => {
  expect(() => parse('a b c')).toThrow('expected the end, found b (line 1, column 3)')
})
