import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { isTyped, offeredByName, offerOf } from './offers.ts'

const provider = '$values:cloud/regions?cloudAccountId=<< module.input.account >>'

test('options are asked for with what is entered', () => {
  expect(offerOf(provider, { account: 'ca_1' })).toEqual({
    operation: 'listRegionValues',
    query: { cloudAccountId: 'ca_1' },
  })
  expect(offerOf(provider, {})).toEqual({ operation: 'listRegionValues', query: {} })
  const images = '$values:cloud/images?repository=<< deploy.input.repository >>'
  expect(offerOf(images, { repository: 'outer' }, { repository: 'shop/web' })).toEqual({
    operation: 'listImageValues',
    query: { repository: 'shop/web' },
  })
})

test.each([
  ['does more than read an input', '$values:cloud/regions?cloudAccountId=<< module.input.a ?? "b" >>'],
  ['is none of ours', '$values:moon/phases'],
])('a provider that %s is left to the service', (_what, provider) => {
  expect(offerOf(provider, { a: 'x' })).toBeUndefined()
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
      const provider = offeredByName(input(id)) ?? ''
      expect(offerOf(provider, { cloud_account_id: 'ca_1', cloud_region: 'eu-west-1' })).toEqual({
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

test('nothing is offered by name where a module lists its options, or for something else', () => {
  expect(offeredByName(input('subnet_ids', { values: [] }))).toBeUndefined()
  expect(offeredByName(input('subnet_ids', { type: 'number' }))).toBeUndefined()
  expect(offeredByName(input('subnet_cidrs'))).toBeUndefined()
})

test('tags of images are typed, accounts are chosen', () => {
  const of = (values: string) => isTyped(input('a', { type: 'string', values }))
  expect(of('$values:cloud/images?repository=<< module.input.image_repository >>')).toBe(true)
  expect(of('$values:service/cloud_accounts')).toBe(false)
})
