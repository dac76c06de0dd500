import { maxPolicyExpressionLength as longestExpression } from '@sluice/contract'
import { describe, expect, test } from 'vitest'
import { cpuTimeMs } from '../../../../../testing/cpu-time.ts'
import { everyCase } from '../../../../../testing/every-case.ts'
import { checkExpression } from './check.ts'
import { type Subject, type Verdict, work } from './evaluate.ts'
import { maxListLength, maxTextLength, type Variables } from './types.ts'

const variables = {
  deployment: {
    fields: {
      strategy: 'string',
      isRollback: 'bool',
      images: { list: { fields: { registry: 'string', repository: 'string', tag: 'string', digest: 'string' } } },
      inputs: { list: 'string' },
      count: 'int',
    },
  },
  starter: { fields: { kind: 'string', teams: { list: 'string' } } },
  now: 'timestamp',
} satisfies Variables

const image = { registry: 'ghcr.io', repository: 'shop/app', tag: '1.2.0' }
const usual = {
  deployment: { strategy: 'ROLLING', isRollback: false, images: [image], inputs: ['image_ref'], count: 3 },
  starter: { kind: 'USER', teams: ['Ops'] },
  now: '2026-07-01T15:30:00Z',
}

const budgetMs = 500
const verdicts = (expression: string, subjects: readonly Subject[], mostMs: number): Verdict[] => {
  const [answer] = work({ expressions: [expression], variables, subjects }, mostMs)
  if (!answer || 'verdicts' in answer) return answer?.verdicts ?? []
  return subjects.map(() => ({ verdict: 'FAILED', reason: answer.fault.message }))
}
const verdict = (expression: string, subject: Subject = usual): Verdict | undefined =>
  verdicts(expression, [subject], budgetMs)[0]
const faultOf = (expression: string) => {
  const read = checkExpression(expression, variables)
  return 'fault' in read ? read.fault : undefined
}

test(
  'an expression has its decision',
  everyCase(
    [
      ["deployment.images.all(i, i.registry in ['ghcr.io', 'registry.example.com'])", 'ALLOWED'],
      ["deployment.images.all(i, i.registry == 'registry.example.com')", 'VIOLATED'],
      ["deployment.images.all(i, has(i.digest) || i.tag != 'latest')", 'ALLOWED'],
      ["now.getHours('Europe/Berlin') >= 9 && now.getHours('Europe/Berlin') < 17", 'VIOLATED'],
      ['now.getHours() >= 9 && now.getHours() < 17', 'ALLOWED'],
      [
        "now < timestamp('2026-07-02T00:00:00Z') && now - timestamp('2026-07-01T00:00:00Z') > duration('15h')",
        'ALLOWED',
      ],
      ["starter.kind == 'SERVICE_ACCOUNT'", 'VIOLATED'],
      ["starter.teams.exists(t, t.startsWith('O')) && size(starter.teams) == 1", 'ALLOWED'],
      [
        "deployment.images.filter(i, i.repository.matches('^shop/')).map(i, i.tag).exists_one(t, t == '1.2.0')",
        'ALLOWED',
      ],
      ["deployment.count % 2 == 1 ? deployment.images[0].tag + '!' == '1.2.0!' : false", 'ALLOWED'],
      ['deployment.images.all(i, deployment.inputs.exists(n, n != i.tag))', 'ALLOWED'],
      ["starter.teams == ['Ops'] && starter.teams != [] && [] == []", 'ALLOWED'],
      ["deployment.images.map(i, i.tag) == ['1.2.0', '1.3.0']", 'VIOLATED'],
      ["['a', 'b'] == ['b', 'a']", 'VIOLATED'],
      ["double('12.5') + double(deployment.count) + double(0.5) == 16.0", 'ALLOWED'],
      ["int('12') == 12 && int(timestamp('1970-01-01T00:01:00Z')) == 60 && int(duration('1m')) == 60", 'ALLOWED'],
      ["duration('1h') + duration('30m') - duration('1m') == duration('89m')", 'ALLOWED'],
      ["duration('1h') + now == now + duration('60m') && now - duration('1h') < now", 'ALLOWED'],
      ["duration('90m').getMinutes() == 90 && duration('90m').getHours() == 1", 'ALLOWED'],
      ["string(duration('90s')) == '90s' && duration('-1s') < duration('0s')", 'ALLOWED'],
    ],
    (expression, expected) => {
      expect(verdict(expression)).toEqual({ verdict: expected })
    },
  ),
)

describe('an error in an expression is reported when it is saved, with its position', () => {
  test(
    'for every type of mistake',
    everyCase(
      [
        ['deployment.strategy ==\n  deployments.name', 2, 3, 'There is no deployments'],
        ['deployment.image', 1, 11, 'there are strategy, isRollback, images'],
        ['deployment.__proto__ == deployment.constructor', 1, 11, 'There is no __proto__'],
        ['deployment.count > "3"', 1, 18, '> does not take int and string.'],
        ['deployment.images == deployment.images', 1, 19, '== does not take a list'],
        ['starter.teams == [1]', 1, 15, '== does not take a list of string and a list of int.'],
        ['!deployment.count', 1, 1, '! does not take int.'],
        ['"a" in deployment.strategy', 1, 4, 'in does not take string and string.'],
        ['deployment.inputs["a"] == "a"', 1, 18, '[] does not take a list of string and string.'],
        ['deployment.count ? true : false', 1, 1, '?: does not take int and bool and bool.'],
        ['deployment.isRollback && 1', 1, 1, '&& does not take bool and int.'],
        ['deployment.strategy', 1, 1, 'It must be true or false; this is string'],
        ['deployment.strategy == null', 1, 24, 'has()'],
        ['deployment.strategy.exists(x, x == 1)', 1, 20, 'go through a list'],
        ['deployment.images.all(i, i.tag)', 1, 18, 'must be true or false; this is string'],
        ['deployment.images.exists(i, i.tag)', 1, 18, 'must be true or false; this is string'],
        ['deployment.images.filter(i, i.tag).size() == 1', 1, 18, 'must be true or false; this is string'],
        ['deployment.images.exists_one(i, i.tag)', 1, 18, 'must be true or false; this is string'],
        ['deployment.strategy == "a" b', 1, 28, 'cannot be read'],
        ['', 1, 1, 'cannot be read'],
        ['dyn(deployment) == 1', 1, 1, 'There is no function dyn'],
        ['type(deployment.count) == int', 1, 1, 'There is no function type'],
        ['deployment.strategy.lowerAscii() == "a"', 1, 20, 'There is no method lowerAscii'],
        ['{"a": 1}.size() == 1', 1, 1, 'cannot be written'],
        ['[[1], [2]].size() == 2', 1, 1, 'no lists in it'],
        ['[1].map(x, [x, x]).size() == 1', 1, 4, 'no lists in it'],
        ['[1, "a"].size() == 2', 1, 1, 'not both'],
        ['deployment.strategy.matches("(a")', 1, 29, 'The pattern is not valid'],
        ['deployment.strategy.matches(deployment.strategy)', 1, 39, 'a text that is written'],
        ['[1].all(a, [1].all(b, [1].all(c, a == b && b == c)))', 1, 26, '2 deep at most'],
        [`true${' '.repeat(longestExpression)}`, 1, 1, 'characters at most'],
      ],
      (expression, line, column, message) => {
        const fault = faultOf(expression)
        expect(fault?.message).toContain(message)
        expect({ line: fault?.line, column: fault?.column }).toEqual({ line, column })
      },
    ),
  )
})

/** Expressions that cannot be evaluated. */
const failing = [
  'deployment.images[7].tag == "1"',
  'deployment.images[0].digest == "1"',
  'deployment.count / 0 == 1',
  'int(deployment.strategy) == 1',
  'now.getHours("Nowhere/Atall") == 1',
  'timestamp(deployment.strategy) < now',
  'double(deployment.strategy) <= 1.0',
  'double("") <= 1.0',
  'double("1e400") > 1.0',
  'int("") == 0',
  'int("0x10") == 16',
  'duration("") < duration("1s")',
  'duration("-") < duration("1s")',
  'deployment.count * 9223372036854775807 > 0',
  'no such thing',
]

test(
  'a failing expression fails everything that depends on it',
  everyCase(failing, (expression) => {
    for (const depending of [expression, `!(${expression})`, `(${expression}) && true`, `(${expression}) || false`]) {
      expect(verdict(depending)).toMatchObject({ verdict: 'FAILED', reason: expect.stringMatching(/./) })
    }
  }),
)

/** Generates numbers from 0 to 1, the same for the same seed. */
function* chances(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    yield state / 4_294_967_296
  }
}

type Truth = boolean | undefined
type Made = { text: string; truth: Truth }

/** Generates an expression of true, false and a failure, and its result by the rules of the language. */
function made(next: () => number, depth: number): Made {
  const pick = next()
  if (depth === 0 || pick < 0.2) {
    const leaf = next()
    if (leaf < 0.35) return { text: failing[Math.floor(next() * 7)] ?? '', truth: undefined }
    return leaf < 0.7 ? { text: 'deployment.count == 3', truth: true } : { text: 'deployment.isRollback', truth: false }
  }
  const one = made(next, depth - 1)
  if (pick < 0.4) return { text: `!(${one.text})`, truth: one.truth === undefined ? undefined : !one.truth }
  const other = made(next, depth - 1)
  const decides = pick < 0.7
  const truths = [one.truth, other.truth]
  const truth = truths.includes(decides) ? decides : truths.includes(undefined) ? undefined : !decides
  return { text: `(${one.text}) ${decides ? '||' : '&&'} (${other.text})`, truth }
}

test('a combination of failures allows only if it is true without them', () => {
  const numbers = chances(23)
  const next = () => numbers.next().value
  const found = new Set<string | undefined>()
  for (let count = 0; count < 100; count += 1) {
    const { text, truth } = made(next, 4)
    if (text.length > longestExpression) continue
    const expected = truth === undefined ? 'FAILED' : truth ? 'ALLOWED' : 'VIOLATED'
    expect({ text, verdict: verdict(text)?.verdict }).toEqual({ text, verdict: expected })
    found.add(expected)
  }
  expect([...found].toSorted()).toEqual(['ALLOWED', 'FAILED', 'VIOLATED'])
})

describe('the variables of an expression', () => {
  const inputs = (count: number) => ({ ...usual, deployment: { ...usual.deployment, inputs: Array(count).fill('a') } })

  test('are never truncated: a value that is too large fails', () => {
    const expression = "deployment.inputs.all(i, i == 'a')"
    expect(verdict(expression, inputs(maxListLength))).toEqual({ verdict: 'ALLOWED' })
    expect(verdict(expression, inputs(maxListLength + 1))?.verdict).toBe('FAILED')
    const long = { ...usual, deployment: { ...usual.deployment, strategy: 'a'.repeat(maxTextLength + 1) } }
    expect(verdict('true', long)?.verdict).toBe('FAILED')
  })

  test('can contain a list that is too long, which fails only expressions that read it', () => {
    const long = {
      ...usual,
      deployment: { ...usual.deployment, inputs: Array.from({ length: maxListLength + 1 }, () => 'a') },
    }
    const reading = "deployment.inputs.all(i, i == 'a')"
    expect(verdict('deployment.count == 3 && has(deployment.inputs)', long)).toEqual({ verdict: 'ALLOWED' })
    expect(verdict(`${reading} || deployment.count == 3`, long)).toEqual({ verdict: 'ALLOWED' })
    expect(verdict(`${reading} && deployment.count == 4`, long)).toEqual({ verdict: 'VIOLATED' })
    for (const expression of [reading, 'size(deployment.inputs) > 0', "'a' in deployment.inputs"]) {
      expect(verdict(expression, long), expression).toEqual({
        verdict: 'FAILED',
        reason: 'deployment.inputs has 501 elements, and 500 at most are seen',
      })
    }
  })

  test('have exactly the fields of their type', () => {
    const more = { ...usual, secret: 'one', deployment: { ...usual.deployment, strategy: 3 } }
    expect(verdict('true', more)?.verdict).toBe('FAILED')
    expect(faultOf('secret == "one"')?.message).toContain('There is no secret')
    const { now: _, ...without } = usual
    expect(verdict('now.getHours() > 0', without)?.verdict).toBe('FAILED')
  })
})

describe('a hostile expression', () => {
  const many = {
    ...usual,
    deployment: { ...usual.deployment, inputs: Array(maxListLength).fill('a'.repeat(maxTextLength)) },
  }
  const doubling = `['a']${'.map(x, x + x)'.repeat(40)}.size() == 1`
  const slow = Array(20).fill("a.matches('(.*)(.*)(.*)x$')").join(' || ')

  test('cannot create unlimited texts', () => {
    expect(verdict(doubling)).toEqual({ verdict: 'FAILED', reason: expect.stringContaining('characters at most') })
  })

  test('is terminated when it takes too long, together with all expressions after it', () => {
    const expression = `deployment.inputs.all(a, deployment.inputs.all(b, !(${slow})))`
    expect(faultOf(expression)).toBeUndefined()
    const started = cpuTimeMs()
    const answers = work({ expressions: [expression, 'true'], variables, subjects: [many, many, usual] }, 100)
    const came = answers.flatMap((answer) => ('verdicts' in answer ? answer.verdicts : []))
    expect(came.map(({ verdict }) => verdict)).toEqual(Array(6).fill('FAILED'))
    expect(cpuTimeMs() - started).toBeLessThan(5_000)
  })

  test(
    'with deep nesting is rejected quickly',
    everyCase(['(', '[', '!', '-', '[1].all(x, ', 'true ? '], (opening) => {
      const expression = opening.repeat(longestExpression / opening.length)
      expect(faultOf(expression)).toBeDefined()
      const closed = `${'('.repeat(900)}true${')'.repeat(900)}`
      expect(['ALLOWED', 'FAILED']).toContain(verdict(closed)?.verdict)
    }),
  )
})
