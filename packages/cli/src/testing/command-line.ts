import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyTemplate } from '@sluice/server/testing/database'
import { fastFolder } from '@sluice/server/testing/folders'
import { onTestFinished } from 'vitest'

const main = join(import.meta.dirname, '..', 'main.js')

/** Variable with the path of the packaged command line, if the test run has built one. */
export const packedProgramVariable = 'TEST_PACKED_COMMAND_LINE'

/** Matches commands of the packaged command line, which call a service or read files. */
const calling =
  /^(?!serve|demo|runner|reset|migrate|move|engine-identity|owner-token|reseal|forget|doctor|backup-drill|report-backup|-)/

/** Returns the program for a command: packaged, or from the sources. */
export function programFor([name = '-']: string[]): string {
  return (calling.test(name) && process.env[packedProgramVariable]) || main
}

/** Returns the environment of the command line, without the variables of the test run. */
const environment = () => ({
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
  XDG_CONFIG_HOME: join(tmpdir(), 'sluice-nobody'), // without logins
  XDG_CACHE_HOME: join(tmpdir(), 'sluice-nobody'),
  SLUICE_KEY_STORE: 'off', // that of the user who runs the tests
})

export const emptyDirectory = (): Promise<string> => directoryIn(tmpdir())

/** Creates a data directory with a migrated database, which saves seconds per start. */
export async function preparedDirectory(): Promise<string> {
  const directory = await directoryIn(fastFolder())
  copyTemplate(join(directory, '.sluice', 'database'))
  return directory
}

async function directoryIn(parent: string): Promise<string> {
  const directory = await mkdtemp(join(parent, 'sluice-cli-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}

/** Starts the command line in its own process, which is stopped at the end of the test. */
export function run(cwd: string, words: string[], env?: Record<string, string>) {
  const started = start(cwd, words, env)
  onTestFinished(async () => {
    started.child.kill('SIGTERM') // not SIGKILL: its engine would still write into the directory that is deleted next
    await started.exitCode
  })
  return started
}

/** Whether `script` of util-linux is available, which emulates a terminal. */
export const hasScript = spawnSync('script', ['--version']).status === 0

/** Starts the command line at an emulated terminal, with which it is stopped. */
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

/** Runs a command to its end and returns its output; `input` is its standard input. */
export async function runToCompletion(cwd: string, words: string[], env?: Record<string, string>, input?: string) {
  const { child, output, exitCode } = start(cwd, words, env)
  if (input !== undefined) child.stdin?.end(input)
  return { code: await exitCode, ...output }
}

function start(cwd: string, words: string[], env: Record<string, string> = {}) {
  return watched(spawn(process.execPath, [programFor(words), ...words], { cwd, env: { ...environment(), ...env } }))
}

function watched(child: ChildProcess) {
  /** Combined output in order, and each stream separately. */
  const output = { text: '', stdout: '', stderr: '' }
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output.text += chunk))
  child.stdout?.on('data', (chunk) => (output.stdout += chunk))
  child.stderr?.on('data', (chunk) => (output.stderr += chunk))
  const exitCode = once(child, 'close').then(([code]): number | null => code)
  return { child, output, exitCode }
}
