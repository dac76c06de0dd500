import { describe, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { outboundRules } from './addresses.ts'

describe('without rules of the operator', () => {
  const rules = outboundRules([])

  test(
    'public addresses are allowed',
    everyCase(['8.8.8.8', '93.184.216.34', '2606:2800:220:1::1', '::ffff:8.8.8.8'], (address) => {
      expect(rules.allowsAddress(address)).toBe(true)
    }),
  )

  test(
    'private and special addresses are rejected',
    everyCase(
      [
        ['this machine', ['127.0.0.1', '127.8.8.8', '0.0.0.0', '0.1.2.3', '::1', '::']],
        [
          'this machine, in disguise',
          ['::ffff:127.0.0.1', '::ffff:7f00:1', '::127.0.0.1', '64:ff9b::7f00:1', '2002:7f00:1::'],
        ],
        ['private networks', ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fd12:3456::1', 'fec0::1']],
        ['neighbours on the link', ['169.254.1.1', 'fe80::1', 'fe80::1%eth0']],
        ['metadata of the cloud', ['169.254.169.254', 'fd00:ec2::254', '::ffff:169.254.169.254']],
        ['networks of carriers', ['100.64.0.1', '100.127.255.255']],
        [
          'what is no host',
          ['224.0.0.1', '255.255.255.255', '240.0.0.1', 'ff02::1', '2001:db8::1', '192.0.2.1', '198.18.0.1'],
        ],
      ],
      (_, addresses) => {
        expect(addresses.filter(rules.allowsAddress)).toEqual([])
      },
    ),
  )

  test('no host may be reached wherever it leads', () => {
    expect(rules.allowsHost('localhost')).toBe(false)
  })
})

test('operators let through hosts, addresses and networks, and nothing beside them', () => {
  const rules = outboundRules(['Git.Internal', '10.1.0.0/16', '192.168.7.7', 'fd00:1::/32'])
  expect(rules.allowsHost('git.internal')).toBe(true)
  expect(rules.allowsHost('evil.git.internal')).toBe(false)
  const reached = ['10.1.2.3', '::ffff:10.1.2.3', '192.168.7.7', 'fd00:1::5'].filter(rules.allowsAddress)
  expect(reached).toHaveLength(4)
  expect(['10.2.0.1', '192.168.7.8', 'fd00:2::5', '127.0.0.1'].filter(rules.allowsAddress)).toEqual([])
})
