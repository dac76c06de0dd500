import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { readIsolationSettings } from './settings.ts'

const read = (env: Record<string, string>, url = 'http://127.0.0.1:4600') =>
  readIsolationSettings(env, { url, directory: '/var/lib/runner' })

test('by default, isolation and private networks are used if they work', () => {
  expect(read({})).toMatchObject({ mode: 'auto', network: 'auto', toolFolders: [], endpoints: ['127.0.0.1:4600'] })
})

test('an API on another machine needs no endpoint on this one', () => {
  expect(read({}, 'https://sluice.example.com').endpoints).toEqual([])
})

test('the operator sets limits, tools and endpoints', () => {
  const settings = read({
    SLUICE_RUNNER_ISOLATION: 'bubblewrap',
    SLUICE_RUNNER_NETWORK: 'own',
    SLUICE_RUNNER_TOOLS: '/opt/tools:/opt/more',
    SLUICE_RUNNER_ENDPOINTS: '127.0.0.1:4700',
    SLUICE_RUNNER_MEMORY_MIB: '512',
    SLUICE_RUNNER_PROCESSES: '50',
    SLUICE_RUNNER_SOURCE_MIB: '7',
  })
  expect(settings).toMatchObject({
    mode: 'bubblewrap',
    network: 'own',
    toolFolders: ['/opt/tools', '/opt/more'],
    endpoints: ['127.0.0.1:4600', '127.0.0.1:4700'],
    limits: { memoryBytes: 512 * 1024 * 1024, processes: 50, sourceBytes: 7 * 1024 * 1024 },
  })
})

test('the operator’s proxies, certificates and tools are available to programs', () => {
  const env = {
    HTTPS_PROXY: 'http://127.0.0.1:3128',
    http_proxy: 'http://proxy.example.com:1',
    SSL_CERT_FILE: '/opt/ca.pem',
  }
  const settings = readIsolationSettings(env, {
    url: 'https://sluice.example.com',
    directory: '/x',
    toolsDir: '/opt/iac',
  })
  expect(settings).toMatchObject({ endpoints: ['127.0.0.1:3128'], toolFolders: ['/opt/iac', '/opt/ca.pem'] })
})

test(
  'an invalid isolation setting is rejected by name',
  everyCase(
    [
      ['SLUICE_RUNNER_ISOLATION', 'docker'],
      ['SLUICE_RUNNER_NETWORK', 'no'],
      ['SLUICE_RUNNER_MEMORY_MIB', '0'],
      ['SLUICE_RUNNER_DISK_MIB', '1e9'],
      ['SLUICE_RUNNER_TOOLS', 'tools'],
      ['SLUICE_RUNNER_ENDPOINTS', '10.0.0.1:80'],
    ],
    (name, value) => {
      expect(() => read({ [name]: value })).toThrow(name)
    },
  ),
)
