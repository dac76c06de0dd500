import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Pipelines } from '../../server/src/testing/pipelines.ts'
import { type HostileEnvironment, skipReason, startHostileEnvironment } from './environment.ts'
import { type Installation, startInstallation } from './installation.ts'
import { readRunOutput, registerTenant } from './organizations.ts'

let environment: HostileEnvironment
let root: string
let installation: Installation
let tenant: Pipelines

beforeAll(async () => {
  if (skipReason) return
  environment = await startHostileEnvironment()
  if (environment.isolation.network === 'host') return
  root = await mkdtemp('/var/tmp/sluice-address-')
  await chmod(root, 0o711)
  installation = await startInstallation(root, {
    SLUICE_REGISTRATION: 'open',
    SLUICE_TRUSTED_PROXIES: '127.0.0.1', // see docs/reference/production.md: a proxy on the same machine
  })
  tenant = await registerTenant(installation.url, 'Tenant A')
}, 300_000)
afterAll(async () => {
  await installation?.[Symbol.asyncDispose]()
  await environment?.[Symbol.asyncDispose]()
  if (root) await rm(root, { recursive: true, force: true })
}, 60_000)

/** Returns a script that guesses a password with forged source addresses at a loopback port and prints each status. */
const guesses = (port: number, from: string) => `for i in $(seq 12); do
  curl -s -o /dev/null -m 5 -w '${from} %{http_code}\\n' -H "x-forwarded-for: 198.51.100.$i" -H "forwarded: for=198.51.100.$i" \\
    -H 'content-type: application/json' -d '{"data":{"email":"victim@example.com","password":"a long guess"}}' \\
    http://198.18.73.2:${port}/auth/login
done; true`

describe.skipIf(skipReason)('a step on the machine of a trusted proxy', () => {
  test('cannot forge the address that it calls from', async ({ skip }) => {
    skip(environment.isolation.network === 'host', 'skipped: slirp4netns')
    const { runners } = JSON.parse(await readFile(join(installation.dataDir, 'ports.json'), 'utf8'))
    const main = Number(new URL(installation.url).port)
    const shell = [guesses(main, 'main'), guesses(runners, 'own')].join('\n')
    const run = await tenant.run([{ id: 'guess', type: 'command', with: { shell } }])
    await tenant.untilOver(run.id, 200_000)
    const { guess = '' } = await readRunOutput(tenant, run.id)
    const statuses = (port: string) => [...guess.matchAll(new RegExp(`^${port} (\\d+)$`, 'gm'))].map(([, code]) => code)
    expect(statuses('main'), 'steps cannot reach the port that trusts the proxy').toEqual(Array(12).fill('000'))
    expect(statuses('own'), 'the port for steps ignores forwarding headers').toEqual([
      ...Array(10).fill('401'),
      '429',
      '429',
    ])
  })
})
