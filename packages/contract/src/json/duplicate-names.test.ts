import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cpuTimeMs } from '../../../../testing/cpu-time.ts'
import { everyCase } from '../../../../testing/every-case.ts'
import { duplicateNames } from './duplicate-names.ts'

test(
  'duplicate names are reported with their paths',
  everyCase(
    [
      ['{"a":1,"a":2}', ['$.a']],
      ['{"a":{"b":[0,{"c d":1,"c d":1}]}}', ['$.a.b[1]["c d"]']],
      ['[{"a":1},{"a":1},{"a":1,"a":[]}]', ['$[2].a']],
      ['{"a":1,"\\u0061":2}', ['$.a']],
      ['{"\\"":1,"\\u0022":2}', ['$["\\""]']],
      ['{"\\\\":1, "x" : "\\\\" ,"\\\\":2}', ['$["\\\\"]']],
      ['{"__proto__":1,"__proto__":2}', ['$.__proto__']],
      ['{"":1,"":2}', ['$[""]']],
      ['{"a":1,"a":2,"a":3,"b":{"a":1}}', ['$.a', '$.a']],
      ['{"a":"a","b":"a","c":["a","a"],"A":{"a":","}}', []],
      ['{"a":"{\\"a\\":1,\\"a\\":2}"}', []],
      ['"a"', []],
      ['[[],{},"]"]', []],
    ],
    (text, paths) => {
      expect(duplicateNames(text)).toEqual(paths)
    },
  ),
)

// A few easily confused names, so that nearly every object contains a duplicate.
const name = fc.constantFrom('a', 'b', '"', '\\', ':', ',', '{', 'é', '')
type Json = string | number | Json[] | { pairs: [string, Json][] }
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    name,
    fc.nat(),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.record({ pairs: fc.array(fc.tuple(name, tie('value')), { maxLength: 4 }) }),
  ),
}))

/** Returns the JSON text of a string with every other character escaped. */
const quoted = (text: string) =>
  `"${[...text].map((one, n) => (n % 2 === 0 ? `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}` : JSON.stringify(one).slice(1, -1))).join('')}"`

function written(json: Json, escaping: boolean): string {
  if (Array.isArray(json)) return `[${json.map((item) => written(item, escaping)).join(' , ')}]`
  if (typeof json !== 'object') return JSON.stringify(json)
  const nameOf = (name: string, n: number) => (escaping && n % 2 === 1 ? quoted(name) : JSON.stringify(name))
  return `{ ${json.pairs.map(([name, value], n) => `${nameOf(name, n)} : ${written(value, escaping)}`).join(',')} }`
}

const repeats = (json: Json): number => {
  if (Array.isArray(json)) return json.reduce<number>((sum, item) => sum + repeats(item), 0)
  if (typeof json !== 'object') return 0
  const names = new Set(json.pairs.map(([name]) => name))
  return json.pairs.reduce((sum, [, value]) => sum + repeats(value), json.pairs.length - names.size)
}

test('every duplicate is found in any notation, and nothing else', () => {
  fc.assert(
    fc.property(value, fc.boolean(), (json, escaping) => {
      expect(duplicateNames(written(json, escaping))).toHaveLength(Math.min(20, repeats(json)))
    }),
  )
})

test('a hostile text takes no longer than parsing it', () => {
  const startedAt = cpuTimeMs()
  duplicateNames(`${'['.repeat(500_000)}${']'.repeat(500_000)}`)
  duplicateNames(`{"a":"${'\\\\'.repeat(500_000)}"}`)
  duplicateNames(`{"a":"${'\\"'.repeat(500_000)}"}`)
  expect(duplicateNames(`{${'"a":1,'.repeat(150_000)}"a":1}`)).toHaveLength(20)
  expect(cpuTimeMs() - startedAt).toBeLessThan(10_000)
})
