import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { untilPasses } from '../../../../../testing/until-passes.ts'
import { eventually } from '../../testing/eventually.ts'
import { emptyDirectory, engineIn, openEngine, recorder, serverPid } from './engine.fixture.ts'
import type { EngineConnection } from './engine.ts'

test('a killed engine comes back by itself, the worker stays known to it and pending work is finished', async () => {
  const directory = await emptyDirectory()
  const { service, received, gate } = recorder()
  const { engine } = await openEngine(directory)
  await engine.serve([service])
  gate.closed = true
  await engine.send('recorder', 'waiting', 'pass')
  await engine.send('recorder', 'delayed', 'record', 'tick', { delayMs: 1_000 })
  await untilPasses(() => expect(gate.knocks).toBeGreaterThan(0))

  const pid = await serverPid(directory)
  process.kill(pid, 'SIGKILL')
  await eventually(
    'another engine process',
    () => serverPid(directory).catch(() => pid), // no file while the engine restarts
    (now) => now !== pid,
  )
  await eventually('the engine to be healthy', () => engine.healthy().catch(() => false), Boolean)
  gate.closed = false
  await engine.send('recorder', 'new', 'record', 1)
  await untilPasses(() => expect(received).toEqual({ waiting: ['passed'], delayed: ['tick'], new: [1] }))
})

test('an engine that lost its data while running gets the worker registered again', async () => {
  const directory = await emptyDirectory()
  const { service, received } = recorder()
  const { engine } = await openEngine(directory)
  await engine.serve([service])
  await rm(join(engineIn(directory), 'data'), { recursive: true })
  process.kill(await serverPid(directory), 'SIGKILL')
  const send = () => engine.send('recorder', 'k', 'record', 'again').then(() => engine.healthy())
  await eventually('the engine to take the message', () => send().catch(() => false), Boolean)
  await untilPasses(() => expect(received.k).toContain('again'))
})

test('work in flight moves along when the worker has another port at the next start', async () => {
  const directory = await emptyDirectory()
  const { service, received, gate } = recorder()
  gate.closed = true
  const first = await openEngine(directory)
  await first.engine.serve([service])
  await first.engine.send('recorder', 'pinned', 'pass')
  await untilPasses(() => expect(gate.knocks).toBeGreaterThan(0))
  await first.engine.stop()

  gate.closed = false
  const second = await openEngine(directory, { workerPortName: 'another' })
  expect(second.workerUrl).not.toBe(first.workerUrl)
  await second.engine.serve([service])
  await untilPasses(() => expect(received.pinned).toEqual(['passed']))

  // and back again: by now the engine knows both addresses
  await second.engine.stop()
  const third = await openEngine(directory)
  await third.engine.serve([service])
  await third.engine.send('recorder', 'k', 'record', 'third')
  await untilPasses(() => expect(received.k).toEqual(['third']))
})

test.each<[string, (directory: string) => Promise<unknown>]>([
  ['deleted', (directory) => rm(directory, { recursive: true })],
  ['partly deleted', (directory) => rm(join(directory, 'data/sluice/log-store'), { recursive: true })],
  ['of another cluster', (directory) => writeFile(join(directory, 'cluster-name'), 'sluice-another')],
  ['garbled', (directory) => garble(join(directory, 'data/sluice'))],
])('an engine whose directory is %s starts empty', async (_, damage) => {
  const directory = await emptyDirectory()
  const { engine } = await openEngine(directory)
  await worksOn(engine)
  await engine.stop()
  await damage(engineIn(directory))
  await worksOn((await openEngine(directory)).engine)
})

test('an engine that outlived its killed parent is ended before another one starts', async () => {
  const directory = await emptyDirectory()
  const { child, pid } = await parentWithEngine(directory)
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(isRunning(pid)).toBe(true) // otherwise there is nothing to show

  await worksOn((await openEngine(directory)).engine)
  expect(isRunning(pid)).toBe(false)
})

/** Reports whether a process runs. A zombie (Z) does not. */
const isRunning = (pid: number) => /^[^Z]/.test(spawnSync('ps', ['-o', 'stat=', '-p', `${pid}`]).stdout.toString())

/** Starts an engine in another process; without a search path that finds no setpriv, so nothing ends it along. */
async function parentWithEngine(dataDir: string) {
  const options = { directory: engineIn(dataDir) }
  const script = `
    import { openEmbeddedEngine } from ${JSON.stringify(new URL('./engine.ts', import.meta.url).href)}
    import { pino } from 'pino'
    const rest = { worker: { host: '127.0.0.1', port: 0, finishMs: 2_000 }, log: pino({ level: 'silent' }) }
    await openEmbeddedEngine({ ...${JSON.stringify(options)}, ...rest })
    console.log('ready')`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: import.meta.dirname,
    env: { PATH: '/nowhere' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return { child, pid: await serverPid(dataDir) }
}

async function worksOn(engine: EngineConnection) {
  const { service, received } = recorder()
  await engine.serve([service])
  await engine.send('recorder', 'k', 'record', 'works')
  await untilPasses(() => expect(received.k).toEqual(['works']))
}

async function garble(directory: string): Promise<void> {
  const files = await readdir(directory, { recursive: true })
  const tables = files.filter((file) => file.endsWith('.sst'))
  expect(tables).not.toEqual([])
  await Promise.all(tables.map((file) => writeFile(join(directory, file), 'not a table')))
}
