import { expect, test } from 'vitest'
import { offerOf } from './offers.ts'

const provider = '$values:cloud/regions?cloudAccountId=<< module.input.account >>'

test('options are asked for with what is entered', () => {
  expect(offerOf(provider, { account: 'ca_1' })).toEqual({
    operation: 'listRegionValues',
    query: { cloudAccountId: 'ca_1' },
  })
  expect(offerOf(provider, {})).toEqual({ operation: 'listRegionValues', query: {} })
})

test.each([
  ['does more than read an input', '$values:cloud/regions?cloudAccountId=<< module.input.a ?? "b" >>'],
  ['is none of ours', '$values:moon/phases'],
])('a provider that %s is left to the service', (_what, provider) => {
  expect(offerOf(provider, { a: 'x' })).toBeUndefined()
})
