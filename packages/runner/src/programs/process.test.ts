import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { eventually } from '../eventually.fixture.ts'
import { DetachedProcess, findProgram, ProgramMissing } from './process.ts'

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

/** Whether a process with this id is there and no zombie. */
const runs = async (pid: string) => (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')) !== ''

describe('a detached process', () => {
  test('tells how it ended, and keeps what it wrote in order', async () => {
    const program = await begin('echo one; echo two >&2; echo three; exit 3')
    expect(await program.ended(never)).toEqual({ exitCode: 3 })
    expect(await written()).toBe('one\ntwo\nthree\n')
  })

  test('is found again by its records alone, while it runs and when it is over', async () => {
    await begin('echo started; until [ -e go ]; do sleep 0.05; done; echo over; exit 4')
    await says('started')
    const again = new DetachedProcess(join(directory, 'records'))
    expect(await again.result()).toBeUndefined()
    const ended = again.ended(never)
    await writeFile(join(directory, 'go'), '')
    expect(await ended).toEqual({ exitCode: 4 })
    expect(await new DetachedProcess(join(directory, 'records')).result()).toEqual({ exitCode: 4 })
  })

  test('runs once, however often and by however many it is started', async () => {
    const programs = await Promise.all(Array.from({ length: 8 }, () => begin('echo run')))
    const ends = await Promise.all(programs.map((program) => program.ended(never)))
    expect(ends).toEqual(ends.map(() => ({ exitCode: 0 })))
    expect(await (await begin('echo run')).ended(never)).toEqual({ exitCode: 0 })
    expect(await written()).toBe('run\n')
  })

  test('is stopped also in the moment of its start, before it has written down who it is', async () => {
    const program = await begin('echo started; sleep 300')
    await program.stop(pace)
    expect(await program.ended(never)).not.toEqual({ exitCode: 0 })
    expect(await new DetachedProcess(join(directory, 'records')).result()).toBeDefined()
  })

  test('is asked first, and may end as it likes', async () => {
    const program = await begin('trap "echo asked; exit 7" INT; echo started; while :; do sleep 0.05; done')
    await says('started')
    await program.stop({ afterIntMs: 10_000, afterTermMs: 10_000 })
    expect(await program.ended(never)).toEqual({ exitCode: 7 })
    expect(await written()).toBe('started\nasked\n')
  })

  test('is told when it does not listen', async () => {
    const program = await begin(
      'trap "" INT; trap "echo told; exit 8" TERM; echo started; while :; do sleep 0.05; done',
    )
    await says('started')
    await program.stop({ afterIntMs: 100, afterTermMs: 10_000 })
    expect(await program.ended(never)).toEqual({ exitCode: 8 })
  })

  test('is killed when it listens to nothing, with all that it has started', async () => {
    const program = await begin('trap "" INT TERM; sleep 300 & echo child $!; while :; do sleep 0.05; done')
    await says('child')
    const child = /child (\d+)/.exec(await written())?.[1] ?? ''
    expect(await runs(child)).toBe(true)
    await program.stop(pace)
    expect(await program.ended(never)).toEqual({ signal: 'SIGKILL' })
    await eventually(
      'the child to be gone',
      () => runs(child),
      (isThere) => !isThere,
    )
  })

  test('leaves nothing behind when it ends by itself', async () => {
    const program = await begin('sleep 300 & echo child $!')
    expect(await program.ended(never)).toEqual({ exitCode: 0 })
    const child = /child (\d+)/.exec(await written())?.[1] ?? ''
    await eventually(
      'the child to be gone',
      () => runs(child),
      (isThere) => !isThere,
    )
  })

  test('is told from another process that has got its id', async () => {
    const records = join(directory, 'records')
    await mkdir(records)
    await writeFile(join(records, 'pid'), `${process.pid}\n`)
    const program = new DetachedProcess(records)
    await program.stop(pace) // would end this test
    expect(await program.result()).toEqual({ signal: 'SIGKILL' })
  })

  test.each([
    ['what means something to shells', `'"$HOME" \`id\` $(id) \\ * ~ # ; & | > \n!-- \t'`],
    ['all letters', Array.from({ length: 0x900 }, (_, code) => String.fromCharCode(code + 1)).join('')],
    ['nothing', ''],
    ['much', 'x'.repeat(100_000)],
  ])('is given its arguments and its environment as they are: %s', async (_, text) => {
    const program = new DetachedProcess(join(directory, 'records'))
    const script = 'printf %s "$1" >argument; printf %s "$SAID" >variable; env | sort >names'
    await program.start(async () => ({
      argv: ['/bin/sh', '-c', script, 'given', text],
      cwd: directory,
      env: { PATH: process.env.PATH ?? '', SAID: text.slice(0, 50_000) },
      output: output(),
      errors: output(),
    }))
    expect(await program.ended(never)).toEqual({ exitCode: 0 })
    expect(await readFile(join(directory, 'argument'), 'utf8')).toBe(text)
    expect(await readFile(join(directory, 'variable'), 'utf8')).toBe(text.slice(0, 50_000))
    expect(await readFile(join(directory, 'names'), 'utf8')).not.toContain('OLDPWD')
  })

  test.each(['UID', 'IFS', 'OPTIND', 'PPID', '_'])('may be given a variable that shells have too: %s', async (name) => {
    const program = new DetachedProcess(join(directory, 'records'))
    await program.start(async () => ({
      argv: ['/usr/bin/printenv', name],
      cwd: directory,
      env: { [name]: '7' },
      output: output(),
      errors: output(),
    }))
    expect(await program.ended(never)).toEqual({ exitCode: 0 })
  })

  test('is waited for also when what has started it is killed', async () => {
    const script = 'cut -d" " -f4 /proc/$PPID/stat >starter; echo started; until [ -e go ]; do sleep 0.05; done; exit 4'
    const program = await begin(script)
    await says('started')
    process.kill(Number(await readFile(join(directory, 'starter'), 'utf8')), 'SIGKILL')
    const ended = program.ended(never)
    await writeFile(join(directory, 'go'), '')
    expect(await ended).toEqual({ exitCode: 4 })
  })

  test('that cannot be started is no program that was killed', async () => {
    const program = new DetachedProcess(join(directory, 'records'))
    const place = { cwd: join(directory, 'nowhere'), env: {}, output: output(), errors: output() }
    await program.start(async () => ({ argv: ['/bin/true'], ...place }))
    await expect(program.ended(never)).rejects.toThrow()
  })

  test('that is no longer waited for runs on', async () => {
    const program = await begin('echo started; until [ -e go ]; do sleep 0.05; done; echo over')
    await says('started')
    const left = new AbortController()
    const ended = program.ended(left.signal)
    left.abort()
    await expect(ended).rejects.toThrow()
    await writeFile(join(directory, 'go'), '')
    await says('over')
  })

  test('is looked for where it will be seen', async () => {
    await mkdir(join(directory, 'own'))
    await writeFile(join(directory, 'own/sh'), '', { mode: 0o755 })
    const search = { cwd: directory, path: 'own:/bin' }
    const own = join(directory, 'own/sh')
    expect(await findProgram('sh', { ...search, sees: async () => true })).toBe(own)
    expect(await findProgram('sh', { ...search, sees: async (file) => file !== own })).toBe('/bin/sh')
    const nowhere = findProgram('sh', { ...search, sees: async () => false })
    await expect(nowhere).rejects.toMatchObject({ program: 'sh', unseen: own })
  })

  test(
    'of a program that does not exist is not started',
    everyCase(['no-such-program', './no-such-program', '/etc/passwd', '.', 'exit', 'eval'], async (name) => {
      const place = { cwd: directory, path: '/usr/bin:/bin', sees: async () => true }
      await expect(findProgram(name, place)).rejects.toThrow(ProgramMissing)
    }),
  )
})
