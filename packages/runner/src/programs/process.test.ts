import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { eventually } from '../eventually.fixture.ts'
import { DetachedProcess, findProgram, ProgramNotFound } from './process.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-process-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const never = new AbortController().signal
const pace = { afterIntMs: 300, afterTermMs: 300 }
const output = () => join(directory, 'output')

async function begin(script: string): Promise<DetachedProcess> {
  const records = join(directory, 'records')
  await mkdir(records, { recursive: true })
  const program = new DetachedProcess(records)
  const env = { PATH: process.env.PATH ?? '' }
  await program.start(async () => ({
    argv: ['/bin/sh', '-c', script],
    cwd: directory,
    env,
    output: output(),
    errors: output(),
  }))
  return program
}
const written = () => readFile(output(), 'utf8').catch(() => '')
const says = (text: string) => eventually(`the program to say ${text}`, written, (seen) => seen.includes(text))

/** Returns whether a process with this ID exists and is not a zombie. */
const runs = async (pid: string) => (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')) !== ''

describe('a detached process', () => {
  test('returns its exit code and keeps its output in order', async () => {
    const program = await begin('echo one; echo two >&2; echo three; exit 3')
    expect(await program.waitForEnd(never)).toEqual({ exitCode: 3 })
    expect(await written()).toBe('one\ntwo\nthree\n')
  })

  test('is found by its records alone, while it runs and after its end', async () => {
    await begin('echo started; until [ -e go ]; do sleep 0.05; done; echo over; exit 4')
    await says('started')
    const again = new DetachedProcess(join(directory, 'records'))
    expect(await again.result()).toBeUndefined()
    const ended = again.waitForEnd(never)
    await writeFile(join(directory, 'go'), '')
    expect(await ended).toEqual({ exitCode: 4 })
    expect(await new DetachedProcess(join(directory, 'records')).result()).toEqual({ exitCode: 4 })
  })

  test('runs once, even if it is started several times concurrently', async () => {
    const programs = await Promise.all(Array.from({ length: 8 }, () => begin('echo run')))
    const ends = await Promise.all(programs.map((program) => program.waitForEnd(never)))
    expect(ends).toEqual(ends.map(() => ({ exitCode: 0 })))
    expect(await (await begin('echo run')).waitForEnd(never)).toEqual({ exitCode: 0 })
    expect(await written()).toBe('run\n')
  })

  test('can be stopped before it has written its process ID', async () => {
    const program = await begin('echo started; sleep 300')
    await program.stop(pace)
    expect(await program.waitForEnd(never)).not.toEqual({ exitCode: 0 })
    expect(await new DetachedProcess(join(directory, 'records')).result()).toBeDefined()
  })

  test('receives SIGINT first and can end in its own way', async () => {
    const program = await begin('trap "echo asked; exit 7" INT; echo started; while :; do sleep 0.05; done')
    await says('started')
    await program.stop({ afterIntMs: 10_000, afterTermMs: 10_000 })
    expect(await program.waitForEnd(never)).toEqual({ exitCode: 7 })
    expect(await written()).toBe('started\nasked\n')
  })

  test('receives SIGTERM if it ignores SIGINT', async () => {
    const program = await begin(
      'trap "" INT; trap "echo told; exit 8" TERM; echo started; while :; do sleep 0.05; done',
    )
    await says('started')
    await program.stop({ afterIntMs: 100, afterTermMs: 10_000 })
    expect(await program.waitForEnd(never)).toEqual({ exitCode: 8 })
  })

  test('is killed with its children if it ignores both signals', async () => {
    const program = await begin('trap "" INT TERM; sleep 300 & echo child $!; while :; do sleep 0.05; done')
    await says('child')
    const child = /child (\d+)/.exec(await written())?.[1] ?? ''
    expect(await runs(child)).toBe(true)
    await program.stop(pace)
    expect(await program.waitForEnd(never)).toEqual({ signal: 'SIGKILL' })
    await eventually(
      'the child to be gone',
      () => runs(child),
      (isThere) => !isThere,
    )
  })

  test('leaves no processes when it exits', async () => {
    const program = await begin('sleep 300 & echo child $!')
    expect(await program.waitForEnd(never)).toEqual({ exitCode: 0 })
    const child = /child (\d+)/.exec(await written())?.[1] ?? ''
    await eventually(
      'the child to be gone',
      () => runs(child),
      (isThere) => !isThere,
    )
  })

  test('is not confused with another process that reuses its ID', async () => {
    const records = join(directory, 'records')
    await mkdir(records)
    await writeFile(join(records, 'pid'), `${process.pid}\n`)
    const program = new DetachedProcess(records)
    await program.stop(pace) // would end this test process
    expect(await program.result()).toEqual({ signal: 'SIGKILL' })
  })

  test.each([
    ['shell metacharacters', `'"$HOME" \`id\` $(id) \\ * ~ # ; & | > \n!-- \t'`],
    ['all characters', Array.from({ length: 0x900 }, (_, code) => String.fromCharCode(code + 1)).join('')],
    ['empty', ''],
    ['long', 'x'.repeat(100_000)],
  ])('gets its arguments and environment unchanged: %s', async (_, text) => {
    const program = new DetachedProcess(join(directory, 'records'))
    const script = 'printf %s "$1" >argument; printf %s "$SAID" >variable; env | sort >names'
    await program.start(async () => ({
      argv: ['/bin/sh', '-c', script, 'given', text],
      cwd: directory,
      env: { PATH: process.env.PATH ?? '', SAID: text.slice(0, 50_000) },
      output: output(),
      errors: output(),
    }))
    expect(await program.waitForEnd(never)).toEqual({ exitCode: 0 })
    expect(await readFile(join(directory, 'argument'), 'utf8')).toBe(text)
    expect(await readFile(join(directory, 'variable'), 'utf8')).toBe(text.slice(0, 50_000))
    expect(await readFile(join(directory, 'names'), 'utf8')).not.toContain('OLDPWD')
  })

  test.each(['UID', 'IFS', 'OPTIND', 'PPID', '_'])('can get a variable that shells also use: %s', async (name) => {
    const program = new DetachedProcess(join(directory, 'records'))
    await program.start(async () => ({
      argv: ['/usr/bin/printenv', name],
      cwd: directory,
      env: { [name]: '7' },
      output: output(),
      errors: output(),
    }))
    expect(await program.waitForEnd(never)).toEqual({ exitCode: 0 })
  })

  test('is awaited even if its starter is killed', async () => {
    const script = 'cut -d" " -f4 /proc/$PPID/stat >starter; echo started; until [ -e go ]; do sleep 0.05; done; exit 4'
    const program = await begin(script)
    await says('started')
    process.kill(Number(await readFile(join(directory, 'starter'), 'utf8')), 'SIGKILL')
    const ended = program.waitForEnd(never)
    await writeFile(join(directory, 'go'), '')
    expect(await ended).toEqual({ exitCode: 4 })
  })

  test('that cannot be started is reported as an error, not as killed', async () => {
    const program = new DetachedProcess(join(directory, 'records'))
    const place = { cwd: join(directory, 'nowhere'), env: {}, output: output(), errors: output() }
    await program.start(async () => ({ argv: ['/bin/true'], ...place }))
    await expect(program.waitForEnd(never)).rejects.toThrow()
  })

  test('keeps running when it is no longer awaited', async () => {
    const program = await begin('echo started; until [ -e go ]; do sleep 0.05; done; echo over')
    await says('started')
    const left = new AbortController()
    const ended = program.waitForEnd(left.signal)
    left.abort()
    await expect(ended).rejects.toThrow()
    await writeFile(join(directory, 'go'), '')
    await says('over')
  })

  test('is searched only where it is visible in the sandbox', async () => {
    await mkdir(join(directory, 'own'))
    await writeFile(join(directory, 'own/sh'), '', { mode: 0o755 })
    const search = { cwd: directory, path: 'own:/bin' }
    const own = join(directory, 'own/sh')
    expect(await findProgram('sh', { ...search, isVisible: async () => true })).toBe(own)
    expect(await findProgram('sh', { ...search, isVisible: async (file) => file !== own })).toBe('/bin/sh')
    const nowhere = findProgram('sh', { ...search, isVisible: async () => false })
    await expect(nowhere).rejects.toMatchObject({ program: 'sh', hiddenPath: own })
  })

  test(
    'is not started if the program does not exist',
    everyCase(['no-such-program', './no-such-program', '/etc/passwd', '.', 'exit', 'eval'], async (name) => {
      const place = { cwd: directory, path: '/usr/bin:/bin', isVisible: async () => true }
      await expect(findProgram(name, place)).rejects.toThrow(ProgramNotFound)
    }),
  )
})
