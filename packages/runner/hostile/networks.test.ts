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
import { type NetworkEntry, NetworkPool, removeOldNetworks } from '../src/isolation/network-pool.ts'
import { type HostileEnvironment, skipReason, startHostileEnvironment } from './environment.ts'
import { runAttack, startTenantProgram, waitUntil } from './tenant.ts'

let environment: HostileEnvironment
beforeAll(async () => {
  if (!skipReason) environment = await startHostileEnvironment()
}, 120_000)
afterAll(async () => {
  await environment?.[Symbol.asyncDispose]()
}, 60_000)

/** Prints the network of the program, and what else is in it. */
const look = 'readlink /proc/self/ns/net; cat /proc/net/unix | grep -c @; wc -l < /proc/net/tcp'
const run = async (organizationId: string) => {
  const { said } = await runAttack(environment.isolation, environment.directory, look, { organizationId })
  return said.split('\n')[0]
}

describe.skipIf(skipReason)(`networks of programs${skipReason ? ` [${skipReason}]` : ''}`, () => {
  test('are reused by the next attempt of the same organization only', async ({ skip }) => {
    skip(environment.isolation.network === 'host', 'skipped: slirp4netns')
    const first = await run('org_c')
    expect(first).toMatch(/^net:/)
    expect(await run('org_c')).toBe(first)
    expect(await run('org_d')).not.toBe(first)
    expect(await run('org_c')).toBe(first)
  })

  test('are not shared by concurrent attempts, even of one organization', async ({ skip }) => {
    skip(environment.isolation.network === 'host', 'skipped: slirp4netns')
    const start = { organizationId: 'org_c' }
    const script = 'readlink /proc/self/ns/net; exec sleep 1000'
    const one = await startTenantProgram(environment.isolation, environment.directory, script, start)
    await waitUntil('the first program to start', async () => (await one.output()).includes('net:'))
    expect(await run('org_c')).not.toBe((await one.output()).trim())
    one.signal('SIGKILL')
    await one.ended
    await environment.isolation.release(one.records)
  })

  test('have no processes or settings of the attempt before', async ({ skip }) => {
    skip(environment.isolation.network === 'host', 'skipped: slirp4netns')
    const leave =
      'setsid nc -l -p 7777 >/dev/null 2>&1 & ip addr add 10.1.1.1/32 dev lo; ip rule del pref 20; ip rule | wc -l'
    const { said: before } = await runAttack(environment.isolation, environment.directory, 'ip rule | wc -l', {
      organizationId: 'org_e',
    })
    await runAttack(environment.isolation, environment.directory, leave, { organizationId: 'org_e' })
    const after = 'ip rule | wc -l; ip -o addr | grep -c 10.1.1.1; grep -c " 0A " /proc/net/tcp'
    const { said } = await runAttack(environment.isolation, environment.directory, after, { organizationId: 'org_e' })
    expect(said.split('\n').slice(0, 3)).toEqual([before.trim(), '0', '0'])
  })

  test('exist exactly as long as a program uses them, even after the runner has exited', async ({ skip }) => {
    skip(environment.isolation.network === 'host', 'skipped: slirp4netns')
    const directory = await mkdtemp(join(tmpdir(), 'sluice-networks-'))
    const networks = new NetworkPool({ directory, rules: '', switchUser: async () => [] })
    const place = await networks.allocate({ organizationId: 'org_a', attempt: 'a', records: 'r' })
    const program = openSync(place.keepAlivePipe, 'r+')
    networks.close()
    expect(await run('org_f')).toMatch(/^net:/) // another network is created and closed meanwhile
    await removeOldNetworks(directory) // as the next start of the runner does
    expect(exists(place.pid)).toBe(true)
    expect(await readdir(directory)).toHaveLength(1)
    closeSync(program)
    await waitUntil('the network to end', () => !exists(place.pid))
    await rm(directory, { recursive: true, force: true })
  })

  test('last long enough for a program whose runner was killed right after the start', async ({ skip }) => {
    skip(environment.isolation.network === 'host', 'skipped: slirp4netns')
    const directory = await mkdtemp(join(tmpdir(), 'sluice-networks-'))
    const place = await allocateAndDie(directory)
    expect(await run('org_g')).toMatch(/^net:/) // a network that ended with the runner would be gone by now
    const { stdout } = await execFileAsync('/bin/sh', [
      fileURLToPath(new URL('../src/isolation/scripts/enter-network.sh', import.meta.url)),
      ...[place.keepAlivePipe, String(place.pid), '-', 'readlink', '/proc/self/ns/net'],
    ])
    expect(stdout).toMatch(/^net:/)
    await waitUntil('the network to end', () => !exists(place.pid))
    await rm(directory, { recursive: true, force: true })
  })
})

const execFileAsync = promisify(execFile)

/** Lets another process allocate a network and kills that process. */
async function allocateAndDie(directory: string): Promise<NetworkEntry> {
  const script = `
    import { NetworkPool } from ${JSON.stringify(new URL('../src/isolation/network-pool.ts', import.meta.url))}
    const networks = new NetworkPool({ directory: ${JSON.stringify(directory)}, rules: '', switchUser: async () => [] })
    console.log(JSON.stringify(await networks.allocate({ organizationId: 'org_a', attempt: 'a', records: 'r' })))
    setInterval(() => {}, 1_000)`
  const runner = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await Promise.race([
    once(createInterface(runner.stdout), 'line'),
    once(runner, 'exit').then(() => Promise.reject(new Error('the runner exited before it had a network'))),
  ])
  runner.kill('SIGKILL')
  await once(runner, 'exit')
  return JSON.parse(String(line))
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
