import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Command } from '../attempt.ts'
import type { Isolation } from '../isolation/isolation.ts'
import { usualLimits } from '../isolation/limits.ts'
import { openIsolation } from '../isolation/open.ts'
import { attemptIn } from './attempt.fixture.ts'

const miB = 1024 ** 2
let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-programs-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

const open = (wish: 'auto' | 'none') =>
  openIsolation({
    wish,
    network: 'host',
    limits: { ...usualLimits, cpus: 1, memoryBytes: 200 * miB },
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
    return attemptIn(join(directory, `${wish}-${attempts}`), isolation)
  }
  const shell = (script: string, more: Partial<Command> = {}): Command => ({ argv: ['sh', '-c', script], ...more })

  test('have what they print kept apart where that is wanted, with their errors in the log', async () => {
    const { process, stdoutOf, lastLines, result } = await attempt()
    const ended = await process('show', shell('echo shown; echo oops >&2; ls >made', { keepsStdout: true }))
    expect(ended).toEqual({ exitCode: 0 })
    expect(await stdoutOf('show', 100)).toEqual({ content: Buffer.from('shown\n') })
    expect(await stdoutOf('show', 3)).toHaveProperty('refused')
    expect(lastLines()).toEqual(['oops'])
    expect(await result('made', 100)).toEqual({ content: Buffer.from('made\n') })
  })

  test('cannot lead the runner elsewhere by a link in the place of what it reads', async () => {
    const { process, result, folders } = await attempt()
    await writeFile(join(folders.notes, 'secret'), 'secret')
    await process('link', shell(`ln -s ${join(folders.notes, 'secret')} output.json; mkdir a; ln -s / a/b`))
    expect(await result('output.json', 100)).toHaveProperty('refused')
    expect(await result('a/b/etc/hostname', 100)).toHaveProperty('refused')
  })

  test('have a temporary folder and a home of their own', async () => {
    const { process, stdoutOf, directory: home } = await attempt()
    const script = 'echo x >"$TMPDIR/x" && cat "$TMPDIR/x" && cd && pwd'
    expect(await process('own', shell(script, { keepsStdout: true }))).toEqual({ exitCode: 0 })
    expect(await stdoutOf('own', 1_000)).toEqual({ content: Buffer.from(`x\n${home}\n`) })
  })

  test('are found where they are seen', async () => {
    const { process } = await attempt()
    await expect(process('none', { argv: ['no-such-program'] })).rejects.toMatchObject({ program: 'no-such-program' })
  })

  test('read what they are given and change nothing of it', async ({ skip }) => {
    skip(isolation.kind === 'none', 'skipped: bubblewrap')
    const { process, stdoutOf, folders } = await attempt()
    await writeFile(join(folders.given, 'variables'), 'given')
    const script = `cat ${folders.given}/variables; echo x >${folders.given}/variables || ls ${folders.notes} || echo closed`
    await process('read', shell(script, { keepsStdout: true }))
    expect(await stdoutOf('read', 100)).toEqual({ content: Buffer.from('givenclosed\n') })
  })

  test('are ended when they take more than they may, with an error that says so', async ({ skip }) => {
    skip(isolation.kind === 'none', 'skipped: bubblewrap')
    const { process } = await attempt()
    const one = `perl -e '$x = "a" x 40_000_000; sleep 600'`
    await expect(process('greedy', shell(`${`${one} & `.repeat(5)} wait`))).rejects.toMatchObject({
      error: {
        code: 'Sluice:PipelineRuns:PROGRAM_OVER_LIMIT',
        message: expect.stringMatching(
          /^The program was ended\. Its processes have \d+ MiB of memory; 200 MiB are allowed\.$/,
        ),
        description: expect.stringContaining('SLUICE_RUNNER_MEMORY_MIB'),
      },
    })
  })

  test('that others have made are not taken for theirs', async ({ skip }) => {
    skip(isolation.kind === 'none', 'skipped: bubblewrap')
    const { process, directory: home } = await attempt()
    await writeFile(join(directory, 'hidden'), '', { mode: 0o755 })
    await symlink(join(directory, 'hidden'), join(home, 'hidden'))
    await expect(process('hidden', { argv: ['./hidden'] })).rejects.toMatchObject({ unseen: join(home, 'hidden') })
  })
})
