import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clearNetworks, Networks, type Place } from '../src/isolation/networks.ts'
import { attack, startTenant, until } from './tenant.ts'
import { type HostileWorld, missing, startHostileWorld } from './world.ts'

let world: HostileWorld
beforeAll(async () => {
  if (!missing) world = await startHostileWorld()
}, 120_000)
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
}, 60_000)

/** Says which network it is in, and what else is there. */
const look = 'readlink /proc/self/ns/net; cat /proc/net/unix | grep -c @; wc -l < /proc/net/tcp'
const run = async (organizationId: string) => {
  const { said } = await attack(world.isolation, world.directory, look, { organizationId })
  return said.split('\n')[0]
}

describe.skipIf(missing)(`networks of programs${missing ? ` [${missing}]` : ''}`, () => {
  test('are lent to the next attempt of the same organization, and never to one of another', async ({ skip }) => {
    skip(world.isolation.network === 'host', 'skipped: slirp4netns')
    const first = await run('org_c')
    expect(first).toMatch(/^net:/)
    expect(await run('org_c')).toBe(first)
    expect(await run('org_d')).not.toBe(first)
    expect(await run('org_c')).toBe(first)
  })

  test('are not shared by two attempts at a time, of one organization either', async ({ skip }) => {
    skip(world.isolation.network === 'host', 'skipped: slirp4netns')
    const start = { organizationId: 'org_c' }
    const script = 'readlink /proc/self/ns/net; exec sleep 1000'
    const one = await startTenant(world.isolation, world.directory, script, start)
    await until('the first to be there', async () => (await one.said()).includes('net:'))
    expect(await run('org_c')).not.toBe((await one.said()).trim())
    one.signal('SIGKILL')
    await one.ended
    await world.isolation.release(one.records)
  })

  test('have nothing left in them of the attempt before', async ({ skip }) => {
    skip(world.isolation.network === 'host', 'skipped: slirp4netns')
    const leave =
      'setsid nc -l -p 7777 >/dev/null 2>&1 & ip addr add 10.1.1.1/32 dev lo; ip rule del pref 20; ip rule | wc -l'
    const { said: before } = await attack(world.isolation, world.directory, 'ip rule | wc -l', {
      organizationId: 'org_e',
    })
    await attack(world.isolation, world.directory, leave, { organizationId: 'org_e' })
    const after = 'ip rule | wc -l; ip -o addr | grep -c 10.1.1.1; grep -c " 0A " /proc/net/tcp'
    const { said } = await attack(world.isolation, world.directory, after, { organizationId: 'org_e' })
    expect(said.split('\n').slice(0, 3)).toEqual([before.trim(), '0', '0'])
  })

  test('are there for as long as a program has them, and no longer, whether the runner is there or not', async ({
    skip,
  }) => {
    skip(world.isolation.network === 'host', 'skipped: slirp4netns')
    const directory = await mkdtemp(join(tmpdir(), 'sluice-networks-'))
    const networks = new Networks({ directory, rules: '', become: async () => [] })
    const place = await networks.lend({ organizationId: 'org_a', attempt: 'a', records: 'r' })
    const program = openSync(place.alive, 'r+')
    networks.end()
    expect(await run('org_f')).toMatch(/^net:/) // another one comes and goes meanwhile
    await clearNetworks(directory) // as the next start of the runner does
    expect(isThere(place.pid)).toBe(true)
    expect(await readdir(directory)).toHaveLength(1)
    closeSync(program)
    await until('it to be gone', () => !isThere(place.pid))
    await rm(directory, { recursive: true, force: true })
  })

  test('last long enough for a program whose runner was killed right after it started it', async ({ skip }) => {
    skip(world.isolation.network === 'host', 'skipped: slirp4netns')
    const directory = await mkdtemp(join(tmpdir(), 'sluice-networks-'))
    const place = await lendAndDie(directory)
    expect(await run('org_g')).toMatch(/^net:/) // by then a network that ended with the runner is gone
    const { stdout } = await execFileAsync('/bin/sh', [
      fileURLToPath(new URL('../src/isolation/scripts/enter-network.sh', import.meta.url)),
      ...[place.alive, String(place.pid), '-', 'readlink', '/proc/self/ns/net'],
    ])
    expect(stdout).toMatch(/^net:/)
    await until('it to be gone', () => !isThere(place.pid))
    await rm(directory, { recursive: true, force: true })
  })
})

const execFileAsync = promisify(execFile)

/** Has another process allocate a network, and kills that process. */
async function lendAndDie(directory: string): Promise<Place> {
  const script = `
    import { Networks } from ${JSON.stringify(new URL('../src/isolation/networks.ts', import.meta.url))}
    const networks = new Networks({ directory: ${JSON.stringify(directory)}, rules: '', become: async () => [] })
    console.log(JSON.stringify(await networks.lend({ organizationId: 'org_a', attempt: 'a', records: 'r' })))
    setInterval(() => {}, 1_000)`
  const runner = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await Promise.race([
    once(createInterface(runner.stdout), 'line'),
    once(runner, 'exit').then(() => Promise.reject(new Error('the runner ended before it had a network'))),
  ])
  runner.kill('SIGKILL')
  await once(runner, 'exit')
  return JSON.parse(String(line))
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
