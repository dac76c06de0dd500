import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyTemplate } from '@sluice/server/testing/database'
import { quickFolder } from '@sluice/server/testing/folders'
import { onTestFinished } from 'vitest'

const main = join(import.meta.dirname, '..', 'main.js')

/** Names the command line as it is packed, where the run of tests has made one. */
export const packedProgramVariable = 'TEST_PACKED_COMMAND_LINE'

/** What whoever installs the command line has: it calls a service, or reads files. */
const calling =
  /^(?!serve|demo|runner|reset|migrate|move|engine-identity|owner-token|reseal|forget|doctor|backup-drill|report-backup|-)/

/** The program that carries out a command: as it is packed, or from the sources. */
export function programFor([name = '-']: string[]): string {
  return (calling.test(name) && process.env[packedProgramVariable]) || main
}

/** Nothing else of ours is to be seen by the command line. */
const environment = () => ({
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
  XDG_CONFIG_HOME: join(tmpdir(), 'sluice-nobody'), // where no login is
  XDG_CACHE_HOME: join(tmpdir(), 'sluice-nobody'),
  SLUICE_KEY_STORE: 'off', // that of whoever runs the tests
})

export const emptyDirectory = (): Promise<string> => directoryIn(tmpdir())

/** Where a first start finds its database made: for tests of what comes after, which saves each of them seconds. */
export async function preparedDirectory(): Promise<string> {
  const directory = await directoryIn(quickFolder())
  copyTemplate(join(directory, '.sluice', 'database'))
  return directory
}

async function directoryIn(parent: string): Promise<string> {
  const directory = await mkdtemp(join(parent, 'sluice-cli-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}

/** The real command line in a process of its own, which is stopped when the test is over. */
export function run(cwd: string, words: string[], env?: Record<string, string>) {
  const started = start(cwd, words, env)
  onTestFinished(async () => {
    started.child.kill('SIGTERM') // not SIGKILL: its engine would still write into the directory that goes next
    await started.exitCode
  })
  return started
}

/** Whether a terminal can be had here, from util-linux. */
export const hasScript = spawnSync('script', ['--version']).status === 0

/** The same at a terminal. It is stopped with that. */
export function atTerminal(cwd: string, words: string[]) {
  const command = [process.execPath, programFor(words), ...words].map((word) => `'${word}'`).join(' ')
  const started = watched(
    spawn('script', ['--quiet', '--flush', '--return', '--command', `exec ${command}`, '/dev/null'], {
      cwd,
      env: environment(),
    }),
  )
  onTestFinished(async () => {
    started.child.kill('SIGTERM')
    await started.exitCode
  })
  return started
}

/** What a command that ends by itself came to; `input` is all that it finds on stdin. */
export async function finished(cwd: string, words: string[], env?: Record<string, string>, input?: string) {
  const { child, output, exitCode } = start(cwd, words, env)
  if (input !== undefined) child.stdin?.end(input)
  return { code: await exitCode, ...output }
}

function start(cwd: string, words: string[], env: Record<string, string> = {}) {
  return watched(spawn(process.execPath, [programFor(words), ...words], { cwd, env: { ...environment(), ...env } }))
}

function watched(child: ChildProcess) {
  /** Both streams as they came, and each by itself. */
  const output = { text: '', stdout: '', stderr: '' }
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output.text += chunk))
  child.stdout?.on('data', (chunk) => (output.stdout += chunk))
  child.stderr?.on('data', (chunk) => (output.stderr += chunk))
  const exitCode = once(child, 'close').then(([code]): number | null => code)
  return { child, output, exitCode }
}
