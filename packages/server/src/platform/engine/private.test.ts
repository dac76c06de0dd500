import { mkdir, mkdtemp, readdir, readFile, readlink, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { untilPasses } from '../../../../../testing/until-passes.ts'
import { rememberPorts } from '../data-dir/ports.ts'
import { emptyDirectory, engineIn, openEngine, recorder, serverPid, silentLog } from './engine.fixture.ts'
import { openEmbeddedEngine } from './engine.ts'

test.skipIf(process.platform !== 'linux')(
  'the engine listens on no port, and only its user opens its sockets',
  async () => {
    const dataDir = await emptyDirectory()
    const { engine, admin } = await openEngine(dataDir)
    expect(await engine.healthy()).toBe(true)
    expect(await listeningPorts(await serverPid(dataDir))).toEqual([])
    expect((await stat(admin.socketPath ?? '')).isSocket()).toBe(true)
    expect((await stat(engineIn(dataDir))).mode & 0o777).toBe(0o700)
  },
)

test('a directory that others could enter is closed to them before the engine starts', async () => {
  const dataDir = await emptyDirectory()
  await mkdir(engineIn(dataDir), { mode: 0o755 })
  await openEngine(dataDir)
  expect((await stat(engineIn(dataDir))).mode & 0o777).toBe(0o700)
})

test('an engine works below a path too long for a socket, from start to start, and leaves nothing elsewhere', async () => {
  const dataDir = join(await emptyDirectory(), 'a-long-name-'.repeat(15))
  const { worker: port } = await rememberPorts(await emptyDirectory(), ['worker'])
  const temporary = await temporaryDirectory()
  for (const word of ['first', 'second']) {
    const { service, received } = recorder()
    const worker = { host: '127.0.0.1', port, finishMs: 2_000 }
    const engine = await openEmbeddedEngine({ directory: engineIn(dataDir), worker, log: silentLog })
    try {
      await engine.serve([service])
      await engine.send('recorder', 'k', 'record', word)
      await untilPasses(() => expect(received.k).toEqual([word]))
      const [way = ''] = await readdir(temporary)
      expect((await stat(join(temporary, way))).mode & 0o777).toBe(0o700)
    } finally {
      await engine.stop()
    }
    expect(await readdir(temporary)).toEqual([])
  }
})

/** What the system's temporary directory is for the rest of the test. Short, as it usually is. */
async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 't-'))
  vi.stubEnv('TMPDIR', directory)
  onTestFinished(async () => {
    vi.unstubAllEnvs()
    await rm(directory, { recursive: true })
  })
  return directory
}

/** Lines of the kernel's table of TCP sockets that listen (state 0A) and belong to the process. */
async function listeningPorts(pid: number): Promise<string[]> {
  const open = await readdir(`/proc/${pid}/fd`)
  const targets = await Promise.all(open.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')))
  const inodes = new Set(targets.map((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1]))
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((table) => readFile(`/proc/net/${table}`, 'utf8').catch(() => '')),
  )
  const rows = tables.flatMap((table) => table.split('\n').map((row) => row.trim().split(/\s+/)))
  return rows.filter((row) => row[3] === '0A' && inodes.has(row[9])).map((row) => row.join(' '))
}
