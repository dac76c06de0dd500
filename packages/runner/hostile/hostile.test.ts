import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, isIPv6 } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listMachineAddresses } from '../src/isolation/machine.ts'
import { createReachAttacks, victory } from './attacks.ts'
import { listCommandLines } from './command-lines.ts'
import { type HostileEnvironment, skipReason, startHostileEnvironment } from './environment.ts'
import { runAttack, startTenantProgram, waitUntil } from './tenant.ts'

/** An abstract socket on this machine, which has no file that could be hidden. */
const abstractName = `sluice-hostile-${process.pid}`
const abstractSocket = createServer()
let environment: HostileEnvironment
/** Addresses of this machine, as in a URL. */
const addresses = listMachineAddresses().map((address) => (isIPv6(address) ? `[${address}]` : address))

/** Names of the attacks. Tests are named before the environment exists, so these come from a stub of it. */
const names = Object.keys(
  createReachAttacks(
    {
      installation: { internalPorts: [], sockets: [], dataDir: '' },
      neighbour: {},
      isolation: { rewriteUrl: String },
    } as never,
    [],
    '',
  ),
)

beforeAll(async () => {
  if (skipReason) return
  await new Promise<void>((resolve) => abstractSocket.listen(`\0${abstractName}`, resolve))
  environment = await startHostileEnvironment()
  await writeFile(join(environment.pluginCache, 'provider'), 'of the organization')
}, 300_000)
afterAll(async () => {
  abstractSocket.close()
  await environment?.[Symbol.asyncDispose]()
}, 60_000)

describe.skipIf(skipReason)(`a hostile program of a tenant${skipReason ? ` [${skipReason}]` : ''}`, () => {
  test('has a private network if this machine supports it', ({ skip }) => {
    skip(environment.isolation.network === 'host', 'skipped: slirp4netns')
    expect(environment.isolation.network).toBe('own')
  })

  test('has an engine to attack', () => {
    expect(environment.installation.internalPorts.length).toBeGreaterThan(0)
    expect(environment.installation.sockets.some((socket) => socket.endsWith('admin.sock'))).toBe(true)
  })

  test.for(names)('%s: prevented', async (name, { skip }) => {
    const {
      script = '',
      isAboutNetwork,
      ...start
    } = createReachAttacks(environment, addresses, abstractName)[name] ?? {}
    skip(isAboutNetwork === true && environment.isolation.network === 'host', 'skipped: slirp4netns')
    const { said } = await runAttack(environment.isolation, environment.directory, `${script}\necho tried`, start)
    expect(said).not.toContain(victory)
    for (const secret of environment.secrets) expect(said).not.toContain(secret)
    if (!script.includes('kill -9 -1')) expect(said).toContain('tried')
    expect(await readdir(environment.pluginCache)).toEqual(['provider'])
    expect(await readFile(join(environment.pluginCache, 'provider'), 'utf8')).toBe('of the organization')
    expect(await environment.isUnharmed()).toBe(true)
  })

  test('leaves no processes that could wait for the next tenant', async () => {
    const script =
      '(setsid sh -c "while :; do sleep 31.4159; done" &) ; setsid nohup sleep 31.4159 & sleep 0.2; echo done'
    const { said } = await runAttack(environment.isolation, environment.directory, script)
    expect(said).toContain('done')
    await waitUntil('its daemons to exit', async () =>
      (await listCommandLines()).every((line) => !line.includes('31.4159')),
    )
  })

  test('does not pass its environment to the processes that start its sandbox', async () => {
    // With these variables the dynamic loader writes to this file. A file outside would come from a process of the
    // runner.
    const { records, said } = await runAttack(environment.isolation, environment.directory, 'echo "$LD_DEBUG"', {
      env: { LD_DEBUG: 'files', LD_DEBUG_OUTPUT: join(environment.directory, 'from-outside') },
    })
    expect(said).toContain('files')
    expect((await readdir(environment.directory)).filter((name) => name.startsWith('from-outside'))).toEqual([])
    expect(await readdir(records)).toEqual(['output'])
  })

  test('receives SIGINT and can end in its own way', async () => {
    const script = 'trap "echo asked; exit 7" INT; echo ready; while :; do sleep 0.05; done'
    const running = await startTenantProgram(environment.isolation, environment.directory, script)
    await waitUntil('it to be ready', async () => (await running.output()).includes('ready'))
    running.signal('SIGINT')
    expect(await running.ended).toBe(7)
    expect(await running.output()).toBe('ready\nasked\n')
  })

  test('is killed with all of its processes', async () => {
    const script = 'trap "" INT TERM; setsid sleep 27.1828 & echo ready; while :; do sleep 0.05; done'
    const running = await startTenantProgram(environment.isolation, environment.directory, script)
    await waitUntil('it to be ready', async () => (await running.output()).includes('ready'))
    running.signal('SIGKILL')
    expect(await running.ended).toBe('SIGKILL')
    await waitUntil('all of its processes to exit', async () =>
      (await listCommandLines()).every((line) => !line.includes('27.1828')),
    )
  })
})
