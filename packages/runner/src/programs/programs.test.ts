import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Command } from '../attempt.ts'
import type { Isolation, Program } from '../isolation/isolation.ts'
import { defaultLimits } from '../isolation/limits.ts'
import { createNoIsolation } from '../isolation/none.ts'
import { openIsolation } from '../isolation/open.ts'
import { createAttempt } from './attempt.fixture.ts'

const miB = 1024 ** 2
let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-programs-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

const open = (mode: 'auto' | 'none') =>
  openIsolation({
    mode,
    network: 'host',
    limits: { ...defaultLimits, cpus: 1, memoryBytes: 200 * miB },
    url: 'http://127.0.0.1:4600',
    toolFolders: [],
    endpoints: [],
    directory,
  })

describe.each(['auto', 'none'] as const)('programs of an attempt, isolation %s', (wish) => {
  let isolation: Isolation
  beforeAll(async () => {
    isolation = await open(wish)
  })
  let attempts = 0
  const attempt = () => {
    attempts += 1
    return createAttempt(join(directory, `${wish}-${attempts}`), isolation)
  }
  const shell = (script: string, more: Partial<Command> = {}): Command => ({ argv: ['sh', '-c', script], ...more })

  test('can have their standard output captured, with standard error in the log', async () => {
    const { runProgram, readStdout, lastLogLines, readResult } = await attempt()
    const ended = await runProgram('show', shell('echo shown; echo oops >&2; ls >made', { capturesStdout: true }))
    expect(ended).toEqual({ exitCode: 0 })
    expect(await readStdout('show', 100)).toEqual({ content: Buffer.from('shown\n') })
    expect(await readStdout('show', 3)).toHaveProperty('refused')
    expect(lastLogLines()).toEqual(['oops'])
    expect(await readResult('made', 100)).toEqual({ content: Buffer.from('made\n') })
  })

  test('cannot redirect the runner with links in place of result files', async () => {
    const { runProgram, readResult, folders } = await attempt()
    await writeFile(join(folders.checkpoints, 'secret'), 'secret')
    await runProgram('link', shell(`ln -s ${join(folders.checkpoints, 'secret')} output.json; mkdir a; ln -s / a/b`))
    expect(await readResult('output.json', 100)).toHaveProperty('refused')
    expect(await readResult('a/b/etc/hostname', 100)).toHaveProperty('refused')
  })

  test('have their own temporary and home folders', async () => {
    const { runProgram, readStdout, directory: home } = await attempt()
    const script = 'echo x >"$TMPDIR/x" && cat "$TMPDIR/x" && cd && pwd'
    expect(await runProgram('own', shell(script, { capturesStdout: true }))).toEqual({ exitCode: 0 })
    expect(await readStdout('own', 1_000)).toEqual({ content: Buffer.from(`x\n${home}\n`) })
  })

  test('fail if they do not exist', async () => {
    const { runProgram } = await attempt()
    await expect(runProgram('none', { argv: ['no-such-program'] })).rejects.toMatchObject({
      program: 'no-such-program',
    })
  })

  test('can read but not change their inputs', async ({ skip }) => {
    skip(isolation.kind === 'none', 'skipped: bubblewrap')
    const { runProgram, readStdout, folders } = await attempt()
    await writeFile(join(folders.inputs, 'variables'), 'given')
    const script = `cat ${folders.inputs}/variables; echo x >${folders.inputs}/variables || ls ${folders.checkpoints} || echo closed`
    await runProgram('read', shell(script, { capturesStdout: true }))
    expect(await readStdout('read', 100)).toEqual({ content: Buffer.from('givenclosed\n') })
  })

  test('are stopped above a limit, and the error names it', async ({ skip }) => {
    skip(isolation.kind === 'none', 'skipped: bubblewrap')
    const { runProgram } = await attempt()
    const one = `perl -e '$x = "a" x 40_000_000; sleep 600'`
    await expect(runProgram('greedy', shell(`${`${one} & `.repeat(5)} wait`))).rejects.toMatchObject({
      error: {
        code: 'Sluice:PipelineRuns:PROGRAM_OVER_LIMIT',
        message: expect.stringMatching(
          /^The program was stopped\. Its processes use \d+ MiB of memory, but the limit is 200 MiB\.$/,
        ),
        description: expect.stringContaining('SLUICE_RUNNER_MEMORY_MIB'),
      },
    })
  })

  test('are not found through a link to a file outside of the sandbox', async ({ skip }) => {
    skip(isolation.kind === 'none', 'skipped: bubblewrap')
    const { runProgram, directory: home } = await attempt()
    await writeFile(join(directory, 'hidden'), '', { mode: 0o755 })
    await symlink(join(directory, 'hidden'), join(home, 'hidden'))
    await expect(runProgram('hidden', { argv: ['./hidden'] })).rejects.toMatchObject({
      hiddenPath: join(home, 'hidden'),
    })
  })
})

test('a sandbox receives all that a command asks for', async () => {
  const isolation = createNoIsolation(['this is a test'])
  const wrapped: Program[] = []
  const wrap: Isolation['wrap'] = (program) => {
    wrapped.push(program)
    return isolation.wrap(program)
  }
  const { runProgram } = await createAttempt(join(directory, 'all'), { ...isolation, wrap })
  const wish = { env: { NAME: 'value' }, writable: [directory], readOnly: ['/etc'], isRootInSandbox: true }
  await runProgram('all', { argv: ['true'], ...wish })
  expect(wrapped).toMatchObject([{ ...wish, readOnly: expect.arrayContaining(['/etc']) }])
})
