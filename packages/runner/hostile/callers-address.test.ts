import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Pipelines } from '../../server/src/testing/pipelines.ts'
import { type Installation, startInstallation } from './installation.ts'
import { registerTenant, shownBy } from './members.ts'
import { type HostileWorld, missing, startHostileWorld } from './world.ts'

let world: HostileWorld
let root: string
let installation: Installation
let tenant: Pipelines

beforeAll(async () => {
  if (missing) return
  world = await startHostileWorld()
  if (world.isolation.network === 'host') return
  root = await mkdtemp('/var/tmp/sluice-address-')
  await chmod(root, 0o711)
  installation = await startInstallation(root, {
    SLUICE_REGISTRATION: 'open',
    SLUICE_TRUSTED_PROXIES: '127.0.0.1', // as docs/reference/production.md says for a proxy on the same machine
  })
  tenant = await registerTenant(installation.url, 'Tenant A')
}, 300_000)
afterAll(async () => {
  await installation?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
  if (root) await rm(root, { recursive: true, force: true })
}, 60_000)

/** Guesses at a password from made-up addresses, at a port of this machine's loopback; prints a status for each. */
const guesses = (port: number, from: string) => `for i in $(seq 12); do
  curl -s -o /dev/null -m 5 -w '${from} %{http_code}\\n' -H "x-forwarded-for: 198.51.100.$i" -H "forwarded: for=198.51.100.$i" \\
    -H 'content-type: application/json' -d '{"data":{"email":"victim@example.com","password":"a long guess"}}' \\
    http://198.18.73.2:${port}/auth/login
done; true`

describe.skipIf(missing)('a step beside a trusted proxy', () => {
  test('does not choose the address that it calls from', async ({ skip }) => {
    skip(world.isolation.network === 'host', 'skipped: slirp4netns')
    const { runners } = JSON.parse(await readFile(join(installation.dataDir, 'ports.json'), 'utf8'))
    const main = Number(new URL(installation.url).port)
    const shell = [guesses(main, 'main'), guesses(runners, 'own')].join('\n')
    const run = await tenant.run([{ id: 'guess', type: 'command', with: { shell } }])
    await tenant.untilOver(run.id, 200_000)
    const { guess = '' } = await shownBy(tenant, run.id)
    const statuses = (port: string) => [...guess.matchAll(new RegExp(`^${port} (\\d+)$`, 'gm'))].map(([, code]) => code)
    expect(statuses('main'), 'the port where the proxy is trusted is closed to steps').toEqual(Array(12).fill('000'))
    expect(statuses('own'), 'the port of steps ignores what they say').toEqual([...Array(10).fill('401'), '429', '429'])
  })
})
