import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { untilPasses } from '../../../testing/until-passes.ts'
import { emptyDirectory } from './testing/command-line.ts'

const root = join(import.meta.dirname, '../../..')

/** Starts `npm start` in its own session, like a terminal, with a data directory that identifies its processes. */
async function npmStart() {
  const dataDir = join(await emptyDirectory(), '.sluice')
  const { PATH, HOME } = process.env
  const env = { PATH, HOME, SLUICE_DATA_DIR: dataDir, PORT: '0' }
  const npm = spawn('npm', ['start'], { cwd: root, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const { pid = 0 } = npm
  let output = ''
  for (const stream of [npm.stdout, npm.stderr]) stream.on('data', (chunk) => (output += chunk))
  const ended = once(npm, 'exit')
  onTestFinished(async () => {
    for (const left of await processesOf(dataDir)) process.kill(left.pid, 'SIGKILL')
  })
  const hasPrinted = (text: string) => untilPasses(() => expect(output).toContain(text), 120_000)
  return { pid, ended, hasPrinted, output: () => output, processes: () => processesOf(dataDir) }
}

/** Returns the processes whose command line or environment contains the directory; the embedded runner inherits it. */
async function processesOf(directory: string) {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const all = await Promise.all(
    pids.map(async (pid) => {
      const read = (file: string) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')
      const command = (await read('cmdline')).replaceAll('\0', ' ').trim()
      const parent = Number(/^PPid:\s+(\d+)/m.exec(await read('status'))?.[1])
      return { pid: Number(pid), parent, command, text: command + (await read('environ')) }
    }),
  )
  const named = new Set(all.filter(({ text }) => text.includes(directory)).map(({ pid }) => pid))
  const isOurs = ({ pid, parent }: { pid: number; parent: number }) => named.has(pid) || named.has(parent)
  return all.filter(isOurs).map(({ pid, command }) => ({ pid, command }))
}

type Started = Awaited<ReturnType<typeof npmStart>>

const expectNothingLeft = (started: Started) =>
  untilPasses(async () => expect(await started.processes(), 'processes that outlive npm start').toEqual([]), 15_000)

/** Sends a signal to npm only, like `kill` or a supervisor. */
const terminate = ({ pid }: Started) => process.kill(pid, 'SIGTERM')
/** Sends Ctrl-C to the whole foreground process group, like a terminal. */
const interrupt = ({ pid }: Started) => process.kill(-pid, 'SIGINT')

test.runIf(process.platform === 'linux')(
  'npm start prints its progress, and SIGTERM ends all its processes',
  async () => {
    const started = await npmStart()
    await started.hasPrinted('Sluice is ready at http')
    const steps = [...started.output().matchAll(/^ *\d+ s {2}(\S+)/gm)].map(([, verb]) => verb)
    expect(steps).toEqual(['Opening', 'Starting', 'Opening', 'Starting', 'Preparing'])
    const commands = (await started.processes()).map(({ command }) => command)
    for (const part of ['main.js demo', 'restate-server', 'cloud-sim', 'packages/runner'])
      expect(commands, `the process list finds ${part}`).toContainEqual(expect.stringContaining(part))
    terminate(started)
    await started.ended
    await expectNothingLeft(started)
  },
)

test.runIf(process.platform === 'linux')('Ctrl-C ends all processes of npm start', async () => {
  const started = await npmStart()
  await started.hasPrinted('Sluice is ready at http')
  interrupt(started)
  await started.ended
  await expectNothingLeft(started)
})

const stepsOfStart = ['Opening the database', 'Starting the roles', 'Preparing the example']

test.runIf(process.platform === 'linux').each(stepsOfStart)('SIGTERM during "%s" ends all processes', async (step) => {
  const started = await npmStart()
  await started.hasPrinted(step)
  terminate(started)
  await started.ended
  await expectNothingLeft(started)
})
