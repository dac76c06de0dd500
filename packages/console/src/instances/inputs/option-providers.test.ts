import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { isTypedProvider, optionsRequest, providerByInputId } from './option-providers.ts'

const provider = '$values:cloud/regions?cloudAccountId=<< module.input.account >>'

test('options are requested with the current values', () => {
  expect(optionsRequest(provider, { account: 'ca_1' })).toEqual({
    operation: 'listRegionValues',
    query: { cloudAccountId: 'ca_1' },
  })
  expect(optionsRequest(provider, {})).toEqual({ operation: 'listRegionValues', query: {} })
  const images = '$values:cloud/images?repository=<< deploy.input.repository >>'
  expect(optionsRequest(images, { repository: 'outer' }, { repository: 'shop/web' })).toEqual({
    operation: 'listImageValues',
    query: { repository: 'shop/web' },
  })
})

test.each([
  ['does more than read an input', '$values:cloud/regions?cloudAccountId=<< module.input.a ?? "b" >>'],
  ['is none of ours', '$values:moon/phases'],
])('a provider that %s is left to the server', (_what, provider) => {
  expect(optionsRequest(provider, { a: 'x' })).toBeUndefined()
})

const input = (id: string, more: object = {}) => ({ id, type: 'string_array', label: id, ...more })

test(
  "an input with a well-known name offers the account's resources even if its module names no provider",
  everyCase(
    [
      ['subnet_ids', 'subnets'],
      ['private_subnet_ids', 'subnets'],
      ['security_group_ids', 'security_groups'],
      ['vpc_id', 'networks'],
    ],
    (id, offered) => {
      const provider = providerByInputId(input(id)) ?? ''
      expect(optionsRequest(provider, { cloud_account_id: 'ca_1', cloud_region: 'eu-west-1' })).toEqual({
        operation: {
          subnets: 'listSubnetValues',
          security_groups: 'listSecurityGroupValues',
          networks: 'listNetworkValues',
        }[offered],
        query: { cloudAccountId: 'ca_1', region: 'eu-west-1' },
      })
    },
  ),
)

test('a well-known name has no effect if the module lists options, or on other types', () => {
  expect(providerByInputId(input('subnet_ids', { values: [] }))).toBeUndefined()
  expect(providerByInputId(input('subnet_ids', { type: 'number' }))).toBeUndefined()
  expect(providerByInputId(input('subnet_cidrs'))).toBeUndefined()
})

test('image tags are typed, accounts are selected', () => {
  const of = (values: string) => isTypedProvider(input('a', { type: 'string', values }))
  expect(of('$values:cloud/images?repository=<< module.input.image_repository >>')).toBe(true)
  expect(of('$values:service/cloud_accounts')).toBe(false)
})
