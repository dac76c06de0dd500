import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { exposureOf } from './exposure.ts'
import { loadConfig } from './load.ts'

const exposure = (env: Record<string, string>) => exposureOf(loadConfig({ cwd: tmpdir(), env }))

test(
  'an API that others reach without TLS is said to be so, with the remedy',
  everyCase(['0.0.0.0', '::', '192.0.2.7', 'sluice.internal'], (HOST) => {
    expect(exposure({ HOST })).toMatch(/without TLS.*SLUICE_PUBLIC_URL/)
    expect(exposure({ HOST, SLUICE_PUBLIC_URL: 'http://sluice.example.com' })).toContain('without TLS')
  }),
)

test(
  'one on loopback, or behind a proxy, is not',
  everyCase(
    [
      {},
      { HOST: '127.0.0.1' },
      { HOST: 'localhost' },
      { HOST: '::1' },
      { HOST: '0.0.0.0', SLUICE_PUBLIC_URL: 'https://sluice.example.com' },
      { HOST: '0.0.0.0', SLUICE_TRUSTED_PROXIES: '10.0.0.1' },
    ],
    (env) => {
      expect(exposure(env)).toBeUndefined()
    },
  ),
)
