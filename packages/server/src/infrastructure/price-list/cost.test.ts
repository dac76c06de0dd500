import type { Price } from '@sluice/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sensitive, unknown } from '../adapter/sensitive.ts'
import { costOf, costPerTime, type Priced } from './cost.ts'

const types = ['disk', 'machine', 'queue'] as const
const sizes = ['small', 'large'] as const
const prices: Price[] = [
  { resourceType: 'disk', monthly: '0.1' },
  { resourceType: 'machine', monthly: '7' },
  { resourceType: 'machine', where: { size: 'large' }, monthly: '60.74' },
  { resourceType: 'machine', where: { size: 'large', 'tags.spot': 'true' }, monthly: '20.123456' },
]
const of = (resources: Priced[], own = prices) => costOf({ currency: 'EUR', prices: own }, resources)
const costs = (resources: Priced[], own?: Price[]) => {
  const { monthlyBefore, monthlyAfter, monthlyDifference } = of(resources, own) ?? {}
  return [monthlyBefore, monthlyAfter, monthlyDifference]
}
const made = (resourceType: string, after: unknown = {}): Priced => ({ resourceType, before: null, after })

const attributes = fc.record({ size: fc.constantFrom(...sizes, unknown), tags: fc.record({ spot: fc.boolean() }) })
const resource = fc.record({
  resourceType: fc.constantFrom(...types),
  before: fc.option(attributes),
  after: fc.option(attributes),
})
const millionths = (decimal = '') => {
  const [whole = '', fraction = ''] = decimal.split('.')
  return BigInt(whole + fraction.padEnd(6, '0'))
}

test('without a price there is no cost', () => {
  expect(of([made('disk')], [])).toBeUndefined()
})

test('created resources add cost, deleted ones remove it, and replaced ones add the difference', () => {
  const large = { size: 'large', tags: { spot: false } }
  const small = { size: 'small' }
  expect(costs([made('machine', large)])).toEqual(['0.00', '60.74', '60.74'])
  expect(costs([{ resourceType: 'machine', before: large, after: null }])).toEqual(['60.74', '0.00', '-60.74'])
  expect(costs([{ resourceType: 'machine', before: large, after: small }])).toEqual(['60.74', '7.00', '-53.74'])
})

test('the price with the most matching attributes applies, and the first of equals', () => {
  const spot = made('machine', { size: 'large', tags: { spot: true } })
  expect(costs([spot])).toEqual(['0.00', '20.123456', '20.123456'])
  expect(costs([spot], prices.toReversed())).toEqual(['0.00', '20.123456', '20.123456'])
  const twice: Price[] = [
    { resourceType: 'disk', monthly: '1' },
    { resourceType: 'disk', monthly: '2' },
  ]
  expect(costs([made('disk')], twice)).toEqual(['0.00', '1.00', '1.00'])
})

test.each([unknown, sensitive, undefined])('a value that is %s matches no condition', (size) => {
  expect(costs([made('machine', { size })])).toEqual(['0.00', '7.00', '7.00'])
  const only: Price[] = [{ resourceType: 'machine', where: { size: String(size) }, monthly: '9' }]
  expect(of([made('machine', { size })], only)).toMatchObject({ monthlyAfter: '0.00', unpricedCount: 1 })
})

test('resources without a price are counted by type, most frequent first; free resources have a price', () => {
  const resources = [made('queue'), made('topic'), made('topic'), made('disk'), made('policy')]
  const free: Price = { resourceType: 'policy', monthly: '0' }
  expect(of(resources, [...prices, free])).toMatchObject({
    monthlyAfter: '0.10',
    unpricedCount: 3,
    unpriced: [
      { resourceType: 'topic', count: 2 },
      { resourceType: 'queue', count: 1 },
    ],
  })
})

test('tenths add up exactly', () => {
  expect(costs(Array.from({ length: 3 }, () => made('disk')))).toEqual(['0.00', '0.30', '0.30'])
})

test('the cost of two combined plans is the sum of both', () => {
  fc.assert(
    fc.property(fc.array(resource), fc.array(resource), (one, other) => {
      const [both, a, b] = [[...one, ...other], one, other].map((resources) => of(resources))
      for (const key of ['monthlyBefore', 'monthlyAfter', 'monthlyDifference'] as const)
        expect(millionths(both?.[key])).toBe(millionths(a?.[key]) + millionths(b?.[key]))
      expect(both?.unpricedCount).toBe((a?.unpricedCount ?? 0) + (b?.unpricedCount ?? 0))
    }),
  )
})

test('the reverse plan has the negated cost', () => {
  fc.assert(
    fc.property(fc.array(resource), (resources) => {
      const back = of(resources.map(({ before, after, ...rest }) => ({ ...rest, before: after, after: before })))
      const there = of(resources)
      expect([back?.monthlyBefore, back?.monthlyAfter]).toEqual([there?.monthlyAfter, there?.monthlyBefore])
      expect(millionths(back?.monthlyDifference)).toBe(-millionths(there?.monthlyDifference))
      expect(back?.unpriced).toEqual(there?.unpriced)
    }),
  )
})

test('the cost of a resource over time is its share of a month of 730 hours', () => {
  const prices = [{ resourceType: 'aws_ecs_task', where: { cpu: '256' }, monthly: '9.01' }]
  const of = (cpu: string) =>
    costPerTime({ currency: 'EUR', prices }, { resourceType: 'aws_ecs_task', attributes: { cpu } })
  expect(of('256')?.(730 * 3_600)).toEqual({ currency: 'EUR', amount: '9.01' })
  expect(of('256')?.(3_600)).toEqual({ currency: 'EUR', amount: '0.012342' })
  expect(of('512')).toBeUndefined()
})
