import { spawnSync } from 'node:child_process'
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Command } from 'commander'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { addCallCommands } from '../calls/commands.ts'
import { addFileCommands } from '../lint/commands.ts'
import { emptyDirectory } from '../testing/command-line.ts'
import { addCompletionCommand } from './commands.ts'
import { completionPointsOf } from './places.ts'
import { storeCompletionWords } from './remembered.ts'
import { scripts } from './scripts.ts'

const sluice = new Command('sluice')
addFileCommands(sluice)
addCallCommands(sluice)
addCompletionCommand(sluice)

/** Cache folder of completions, empty by default. */
let cache = ''
beforeEach(async () => {
  cache = await emptyDirectory()
})

const has = (shell: string) => spawnSync(shell, ['--version']).status === 0

/** Returns bash's completions at the end of these words. */
function completed(...words: string[]): string[] {
  const line = words.map((word) => `'${word}'`).join(' ')
  const asked = `COMP_WORDS=(sluice ${line}); COMP_CWORD=${words.length}; _sluice; printf '%s\n' "\${COMPREPLY[@]}"`
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', `${scripts.bash(sluice)}\n${asked}`], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, XDG_CACHE_HOME: cache },
  })
  expect(stderr).toBe('')
  return stdout.split('\n').filter((one) => one !== '')
}

test('bash completes commands, flags and enumerated values', ({ skip }) => {
  skip(!has('bash'), 'skipped: bash')
  expect(completed('depl')).toEqual(['deploy'])
  expect(completed('freeze', '')).toEqual(['list', 'add', 'lift', 'override'])
  expect(completed('freeze', 'add', 'Holidays', '--ti')).toEqual(['--time-zone'])
  expect(completed('get', 'deployments', '-o', '')).toEqual(['table', 'json', 'yaml', 'name'])
  expect(completed('get', 'deployments', '--output', '=')).toEqual(['table', 'json', 'yaml', 'name'])
  expect(completed('get', 'deployments', '--output', '=', 'y')).toEqual(['yaml'])
  expect(completed('completion', 'z')).toEqual(['zsh'])
  expect(completed('deploy', '--url', '')).toEqual([])
  expect(completed('lint', 'fold')).toEqual([]) // file names, by bash itself
})

const listed = [
  { id: 'dep_1', givenId: '$(touch x)' },
  { id: 'dep_2', givenId: 'web' },
]

test('ids and names of the last list are completed from a private file, without anything a shell would execute', async ({
  skip,
}) => {
  skip(!has('bash'), 'skipped: bash')
  vi.stubEnv('XDG_CACHE_HOME', cache)
  onTestFinished(() => void vi.unstubAllEnvs())
  storeCompletionWords('deployments', listed)
  storeCompletionWords('module-instances', [{ id: 'mi_1', givenId: 'web' }])
  const { mode } = await stat(join(cache, 'sluice/words/deployments'))
  expect(mode & 0o777).toBe(0o600)
  expect(completed('rollback', '')).toEqual(['dep_1', 'dep_2', 'web'])
  expect(completed('rollback', 'dep_2')).toEqual(['dep_2'])
  expect(completed('deploy', '')).toEqual(['mi_1', 'web'])
  expect(completed('freeze', 'add', 'Holidays', '--instance', 'w')).toEqual(['web'])
  expect(completed('rollback', '--wa')).not.toContain('dep_1')
  storeCompletionWords('deployments', [])
  expect(completed('rollback', '')).toEqual([])
})

test.each([
  ['zsh', 'compdef() { : }', '_sluice_words deployments'],
  ['fish', '', '__sluice_words deployments'],
] as const)('%s reads them as well', async (shell, before, words) => {
  if (!has(shell)) return console.log(`skipped: ${shell}`)
  vi.stubEnv('XDG_CACHE_HOME', cache)
  onTestFinished(() => void vi.unstubAllEnvs())
  storeCompletionWords('deployments', listed)
  const { stdout } = spawnSync(shell, ['-c', `${before}\n${scripts[shell](sluice)}\n${words}`], { encoding: 'utf8' })
  expect(stdout).toBe('dep_1\ndep_2\nweb\n')
})

test.each([
  ['bash', '-n'],
  ['zsh', '-n'],
  ['fish', '--no-execute'],
] as const)('the script for %s contains every command and flag and is valid', async (shell, look) => {
  const script = scripts[shell](sluice)
  for (const { commands, flags } of completionPointsOf(sluice)) {
    for (const { name } of commands) expect(script).toContain(name)
    for (const name of flags.flatMap((flag) => flag.names)) expect(script).toContain(name.replace(/^-+/, ''))
  }
  if (!has(shell)) return console.log(`skipped: ${shell}`)
  const file = join(await emptyDirectory(), 'script')
  await writeFile(file, script)
  expect(spawnSync(shell, [look, file], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
})
