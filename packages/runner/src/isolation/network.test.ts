import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { createNetworkRules, parseLoopbackEndpoint, toSandboxUrl } from './network.ts'

test(
  'programs reach the API at an address inside the sandbox',
  everyCase(
    [
      ['http://127.0.0.1:4600/a?b=http://127.0.0.1:1', 'http://198.18.73.2:4600/a?b=http://127.0.0.1:1'],
      ['http://localhost:4600', 'http://198.18.73.2:4600'],
      ['http://[::1]:4600/', 'http://198.18.73.2:4600/'],
      ['http://127.0.0.1', 'http://198.18.73.2'],
      ['https://sluice.example.com/x', 'https://sluice.example.com/x'],
      ['https://127.0.0.1.example.com', 'https://127.0.0.1.example.com'],
    ],
    (outside, inside) => {
      expect(toSandboxUrl(outside)).toBe(inside)
    },
  ),
)

test(
  'the addresses on this host are recognized',
  everyCase(
    [
      ['http://127.0.0.1:4600/a', '127.0.0.1:4600'],
      ['http://localhost', 'localhost:80'],
      ['https://127.0.0.1', '127.0.0.1:443'],
      ['https://sluice.example.com', undefined],
    ],
    (url, endpoint) => {
      expect(parseLoopbackEndpoint(url)).toBe(endpoint)
    },
  ),
)

test('rules for allowed addresses precede rules for prohibited ones', () => {
  const rules = createNetworkRules(
    ['127.0.0.1:4600', 'localhost:4600'],
    ['192.0.2.7', 'fd00::2'],
    [{ address: '192.0.2.7', port: '443' }],
  ).split('\n')
  expect(rules).toEqual([
    'rule add pref 10 to 198.18.73.3 ipproto udp dport 53 lookup main',
    'rule add pref 10 to 198.18.73.3 ipproto tcp dport 53 lookup main',
    'rule add pref 10 to 198.18.73.2 ipproto tcp dport 4600 lookup main',
    'rule add pref 10 to 192.0.2.7 ipproto tcp dport 443 lookup main',
    'rule add pref 20 to 198.18.73.0/24 prohibit',
    'rule add pref 20 to 169.254.0.0/16 prohibit',
    'rule add pref 20 to 168.63.129.16 prohibit',
    'rule add pref 20 to 100.100.100.200 prohibit',
    'rule add pref 20 to 192.0.0.192 prohibit',
    'rule add pref 20 to 255.255.255.255 prohibit',
    'rule add pref 20 to 224.0.0.0/4 prohibit',
    'rule add pref 20 to 192.0.2.7 prohibit',
  ])
})
