import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, isIPv6 } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ownAddresses } from '../src/isolation/machine.ts'
import { commandLines } from './command-lines.ts'
import { reachAttacks, victory } from './reach.ts'
import { attack, startTenant, until } from './tenant.ts'
import { type HostileWorld, missing, startHostileWorld } from './world.ts'

/** A socket in the network of this machine, with no file that could be hidden. */
const abstractName = `sluice-hostile-${process.pid}`
const abstractSocket = createServer()
let world: HostileWorld
/** As they stand in a URL. */
const addresses = ownAddresses().map((address) => (isIPv6(address) ? `[${address}]` : address))

/** The names of attacks stand in a table that needs a world: tests are named before there is one. */
const names = Object.keys(
  reachAttacks(
    {
      installation: { innerPorts: [], sockets: [], dataDir: '' },
      neighbour: {},
      isolation: { addressOf: String },
    } as never,
    [],
    '',
  ),
)

beforeAll(async () => {
  if (missing) return
  await new Promise<void>((resolve) => abstractSocket.listen(`\0${abstractName}`, resolve))
  world = await startHostileWorld()
  await writeFile(join(world.pluginCache, 'provider'), 'of the organization')
}, 300_000)
afterAll(async () => {
  abstractSocket.close()
  await world?.[Symbol.asyncDispose]()
}, 60_000)

describe.skipIf(missing)(`a program of another tenant${missing ? ` [${missing}]` : ''}`, () => {
  test('has a network of its own where this machine can make one', ({ skip }) => {
    skip(world.isolation.network === 'host', 'skipped: slirp4netns')
    expect(world.isolation.network).toBe('own')
  })

  test('has an engine in its neighbourhood to attack', () => {
    expect(world.installation.innerPorts.length).toBeGreaterThan(0)
    expect(world.installation.sockets.some((socket) => socket.endsWith('admin.sock'))).toBe(true)
  })

  test.for(names)('%s: in vain', async (name, { skip }) => {
    const { script = '', isAboutNetwork, ...start } = reachAttacks(world, addresses, abstractName)[name] ?? {}
    skip(isAboutNetwork === true && world.isolation.network === 'host', 'skipped: slirp4netns')
    const { said } = await attack(world.isolation, world.directory, `${script}\necho tried`, start)
    expect(said).not.toContain(victory)
    for (const secret of world.secrets) expect(said).not.toContain(secret)
    if (!script.includes('kill -9 -1')) expect(said).toContain('tried')
    expect(await readdir(world.pluginCache)).toEqual(['provider'])
    expect(await readFile(join(world.pluginCache, 'provider'), 'utf8')).toBe('of the organization')
    expect(await world.isUnharmed()).toBe(true)
  })

  test('leaves nothing behind that could wait for the next tenant', async () => {
    const script =
      '(setsid sh -c "while :; do sleep 31.4159; done" &) ; setsid nohup sleep 31.4159 & sleep 0.2; echo done'
    const { said } = await attack(world.isolation, world.directory, script)
    expect(said).toContain('done')
    await until('its daemons to be gone', async () => (await commandLines()).every((line) => !line.includes('31.4159')))
  })

  test('has its environment for itself: none of it reaches what starts its sandbox', async () => {
    // The loader of programs writes to this file wherever it sees these two: outside, it would be one of the runner's.
    const { records, said } = await attack(world.isolation, world.directory, 'echo "$LD_DEBUG"', {
      env: { LD_DEBUG: 'files', LD_DEBUG_OUTPUT: join(world.directory, 'from-outside') },
    })
    expect(said).toContain('files')
    expect((await readdir(world.directory)).filter((name) => name.startsWith('from-outside'))).toEqual([])
    expect(await readdir(records)).toEqual(['output'])
  })

  test('hears the signals that ask it to end, and ends as it likes', async () => {
    const script = 'trap "echo asked; exit 7" INT; echo ready; while :; do sleep 0.05; done'
    const running = await startTenant(world.isolation, world.directory, script)
    await until('it to be ready', async () => (await running.said()).includes('ready'))
    running.signal('SIGINT')
    expect(await running.ended).toBe(7)
    expect(await running.said()).toBe('ready\nasked\n')
  })

  test('ends with all that it has started when it is killed', async () => {
    const script = 'trap "" INT TERM; setsid sleep 27.1828 & echo ready; while :; do sleep 0.05; done'
    const running = await startTenant(world.isolation, world.directory, script)
    await until('it to be ready', async () => (await running.said()).includes('ready'))
    running.signal('SIGKILL')
    expect(await running.ended).toBe('SIGKILL')
    await until('all of it to be gone', async () => (await commandLines()).every((line) => !line.includes('27.1828')))
  })
})
