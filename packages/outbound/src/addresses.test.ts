import { describe, expect, test } from 'vitest'
import { everyCase } from '../../../testing/every-case.ts'
import { parseOutboundRules } from './addresses.ts'

describe('without operator rules', () => {
  const rules = parseOutboundRules([])

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
          'alternative notations of this machine',
          ['::ffff:127.0.0.1', '::ffff:7f00:1', '::127.0.0.1', '64:ff9b::7f00:1', '2002:7f00:1::'],
        ],
        ['private networks', ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fd12:3456::1', 'fec0::1']],
        ['neighbours on the link', ['169.254.1.1', 'fe80::1', 'fe80::1%eth0']],
        ['metadata of AWS', ['169.254.169.254', '169.254.170.2', '169.254.170.23', 'fd00:ec2::254', 'fd00:ec2::23']],
        ['metadata of Azure', ['168.63.129.16', '::ffff:168.63.129.16', '::ffff:a83f:8110']],
        ['metadata of Alibaba and Oracle', ['100.100.100.200', '192.0.0.192']],
        [
          'alternative notations of metadata services',
          ['::ffff:169.254.169.254', '64:ff9b::a9fe:a9fe', '64:ff9b:1::a9fe:a9fe', '2002:a9fe:a9fe::'],
        ],
        ['networks of carriers', ['100.64.0.1', '100.127.255.255']],
        [
          'invalid hosts',
          ['224.0.0.1', '255.255.255.255', '240.0.0.1', 'ff02::1', '2001:db8::1', '192.0.2.1', '198.18.0.1'],
        ],
      ],
      (_, addresses) => {
        expect(addresses.filter(rules.allowsAddress)).toEqual([])
      },
    ),
  )

  test('no host is allowed regardless of its addresses', () => {
    expect(rules.allowsHost(new URL('http://localhost/'))).toBe(false)
  })
})

test('only the hosts, addresses and networks that operators list are allowed', () => {
  const rules = parseOutboundRules(['Git.Internal', '10.1.0.0/16', '192.168.7.7', 'fd00:1::/32'])
  expect(rules.allowsHost(new URL('https://git.internal:8443/'))).toBe(true)
  expect(rules.allowsHost(new URL('https://evil.git.internal/'))).toBe(false)
  const reached = ['10.1.2.3', '::ffff:10.1.2.3', '192.168.7.7', 'fd00:1::5'].filter(rules.allowsAddress)
  expect(reached).toHaveLength(4)
  expect(['10.2.0.1', '192.168.7.8', 'fd00:2::5', '127.0.0.1'].filter(rules.allowsAddress)).toEqual([])
})

test('a host with a port is allowed at that port only', () => {
  const rules = parseOutboundRules(['127.0.0.1:4700', 'localhost:443', '[::1]:4700'])
  const urls = ['http://127.0.0.1:4700/', 'https://localhost/', 'http://[::1]:4700/']
  expect(urls.filter((url) => rules.allowsHost(new URL(url)))).toEqual(urls)
  const others = ['http://127.0.0.1:4701/', 'http://127.0.0.1/', 'http://localhost/', 'http://[::1]/']
  expect(others.filter((url) => rules.allowsHost(new URL(url)))).toEqual([])
})

test('an allowed network does not include metadata services; an allowed address does', () => {
  const networks = parseOutboundRules(['0.0.0.0/0', '::/0', '100.64.0.0/10'])
  expect(['10.0.0.1', '100.64.0.1', 'fd00::1'].every(networks.allowsAddress)).toBe(true)
  const metadata = ['169.254.169.254', '168.63.129.16', '100.100.100.200', 'fd00:ec2::254']
  expect(metadata.filter(networks.allowsAddress)).toEqual([])
  expect(parseOutboundRules(metadata).allowsAddress('168.63.129.16')).toBe(true)
})
