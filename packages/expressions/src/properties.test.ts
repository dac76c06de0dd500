import fc from 'fast-check'
import { expect, test } from 'vitest'
import { context, source, tree, written } from './arbitraries.fixture.ts'
import { check } from './check.ts'
import { ExpressionError } from './errors.ts'
import { evaluate, parse } from './expression.ts'
import { render } from './render.ts'

/** Returns the tree without `at`, as plain objects. */
function withoutPlaces(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPlaces)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'at')
      .map(([key, member]) => [key, withoutPlaces(member)]),
  )
}

test('a printed tree parses to the same tree', () => {
  fc.assert(
    fc.property(tree, (made) => {
      expect(withoutPlaces(parse(written(made)))).toEqual(withoutPlaces(made))
    }),
    { numRuns: 500 },
  )
})

function throwsOnlyItsOwn(work: () => unknown): void {
  try {
    work()
  } catch (error) {
    expect(error).toBeInstanceOf(ExpressionError)
  }
}

test('rendering throws only its own error', () => {
  fc.assert(
    fc.property(source, context, (text, roots) => {
      throwsOnlyItsOwn(() => evaluate(text, roots))
      throwsOnlyItsOwn(() => render([`<< ${text} >>`, `x ${text}`, `...<< ${text} >>`], roots))
      expect(check({ '...a': `<< ${text} >>`, b: [text] }, { a: 'any' })).toBeInstanceOf(Array)
    }),
    { numRuns: 1000, examples: [['fromPairs(a)', { a: new Array(1), b: null, c: [], d: '' }]] },
  )
})

test('JSON without templates is rendered unchanged', () => {
  fc.assert(
    fc.property(
      fc.jsonValue().filter((value) => !/<<|"\.\.\./.test(JSON.stringify(value))),
      (value) => {
        expect(render(value, {})).toEqual(value)
      },
    ),
  )
})

test('a reference has the value itself', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      expect(render('<< a.b >>', { a: { b: value } })).toEqual(value)
    }),
  )
})

test('rendering cannot access inherited members', () => {
  const inherited = Object.getOwnPropertyNames(Object.prototype)
  for (const name of [...inherited, ...Object.getOwnPropertyNames(Array.prototype)]) {
    for (const way of [`a.${name}`, `a["${name}"]`, `get(a, "${name}")`, `{}.${name}`])
      expect(evaluate(way, { a: {} })).toBe(null)
    expect(() => evaluate(name, {})).toThrow(ExpressionError)
  }
})
