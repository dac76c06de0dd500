import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyCase } from '../../../testing/every-case.ts'
import { defaultLimits } from '../src/isolation/limits.ts'
import { openIsolation } from '../src/isolation/open.ts'
import type { ExceededLimit, WatchedProgram } from '../src/isolation/watch.ts'
import { createAttempt } from '../src/programs/attempt.fixture.ts'
import { checkOutOnce } from '../src/sources/checkout.ts'
import { createRepositories } from '../src/sources/repositories.ts'
import { victory } from './attacks.ts'
import { type HostileEnvironment, skipReason, startHostileEnvironment } from './environment.ts'
import { runAttack, startTenantProgram, waitUntil } from './tenant.ts'

/** System call numbers, because perl has no names for them. */
const [readCall, mmap, prctl, memfdCreate] = process.arch === 'arm64' ? [63, 222, 167, 279] : [0, 9, 157, 319]

const run = promisify(execFile)
/** Adds a guard to a script: it must not start outside of a sandbox. */
const guarded = (script: string): string => `grep -q bwrap /proc/1/cmdline || exit 99\n${script}`
let environment: HostileEnvironment

beforeAll(async () => {
  if (!skipReason) environment = await startHostileEnvironment()
}, 300_000)
afterAll(() => environment?.[Symbol.asyncDispose](), 60_000)

/** Runs a script that must exceed a watched limit. Returns the limit after killing the script. */
async function runUntilLimit(script: string): Promise<ExceededLimit | undefined> {
  const running = await startTenantProgram(environment.isolation, environment.directory, guarded(script))
  const over = new AbortController()
  void running.ended.then(() => over.abort())
  const watched: WatchedProgram = {
    pid: async () => running.pid,
    folders: [running.work, join(running.records, '../tmp')],
  }
  const found = await environment.isolation.watch(watched, over.signal)
  if (found) running.signal('SIGKILL')
  await running.ended
  return found
}

describe.skipIf(skipReason)(`a program that exhausts resources${skipReason ? ` [${skipReason}]` : ''}`, () => {
  test('cannot exceed the process limit or disturb tenant A', async () => {
    const script = guarded('bomb() { bomb | bomb & wait; }; bomb')
    const { said } = await runAttack(environment.isolation, environment.directory, script, {
      enough: (said) => /Cannot fork|Resource temporarily unavailable/i.test(said),
    })
    expect(said).toMatch(/Cannot fork|Resource temporarily unavailable/i)
    expect(await environment.isUnharmed()).toBe(true)
  })

  test('cannot exceed the memory limit in one process', async () => {
    const script = guarded(`perl -e '$x = "a" x 1_000_000_000; print "<WO" . "N>"'`)
    const { said, end } = await runAttack(environment.isolation, environment.directory, script)
    expect(said).not.toContain(victory)
    expect(end).not.toBe(0)
  })

  test('cannot exceed the memory limit in many processes together', async () => {
    const one = `perl -e '$x = "a" x 90_000_000; sleep 600'`
    const found = await runUntilLimit(`for i in 1 2 3 4 5 6; do ${one} & done; wait`)
    expect(found).toMatchObject({ limit: 'memory' })
    expect(await environment.isUnharmed()).toBe(true)
  })

  test('gets at most 64 MiB of shared memory and cannot write to the root', async () => {
    const script = guarded(
      'head -c 200M /dev/zero >/dev/shm/x; stat -c %s /dev/shm/x; head -c 1M /dev/zero >/x; head -c 1M /dev/zero >/dev/x',
    )
    const { said } = await runAttack(environment.isolation, environment.directory, script)
    expect(Number(/^(\d+)$/m.exec(said)?.[1])).toBeLessThanOrEqual(64 * 1024 ** 2)
    expect(said.match(/Read-only file system/g)).toHaveLength(2)
  })

  test('cannot create a file above the limit', async () => {
    const { said } = await runAttack(
      environment.isolation,
      environment.directory,
      guarded('head -c 300M /dev/zero >x; stat -c %s x'),
    )
    expect(Number(/^(\d+)$/m.exec(said)?.[1])).toBe(64 * 1024 ** 2)
  })

  test('is stopped when its files together exceed the disk limit', async () => {
    const found = await runUntilLimit(
      'i=0; while :; do i=$((i+1)); head -c 8M /dev/zero >"$(($i % 12))" ; sleep 0.01; done',
    )
    expect(found).toMatchObject({ limit: 'disk' })
  })

  test('is stopped when it has too many files, in any folder', async () => {
    const found = await runUntilLimit(
      'cd /tmp; i=0; while :; do i=$((i+1)); : >"$i"; [ $((i % 500)) = 0 ] && sleep 0.1; done',
    )
    expect(found).toMatchObject({ limit: 'files' })
  })

  test(
    'is stopped when unlinked files exceed the disk limit',
    everyCase(
      Object.entries({
        visible: 'perl -e',
        'of a process that is not dumpable': `perl -e 'syscall(${prctl}, 4, 0, 0, 0, 0); eval(pop)'`,
        'of a program that is not readable': 'cp /usr/bin/perl own; chmod 111 own; ./own -e',
      }),
      async (_, perl) => {
        const fill = `for my $n (1 .. 3) { open(my $f, ">", "x$n"); unlink("x$n"); syswrite($f, "x" x 30_000_000); push @open, $f }`
        expect(await runUntilLimit(`${perl} '${fill} sleep 600'`)).toMatchObject({ limit: 'disk' })
      },
    ),
  )

  test('is stopped when its folders are nested too deeply to count their content', async () => {
    const script = `perl -e 'for (1 .. 1500) { mkdir("deep"); chdir("deep") } open(F, ">", "hidden"); print F "x" x 9_000_000; sleep 600'`
    expect(await runUntilLimit(script)).toMatchObject({ limit: 'files', message: expect.stringContaining('deeper') })
  })

  test(
    'is stopped when shared memory exceeds the limit',
    everyCase(
      Object.entries({
        'mapped by several processes': `$at = syscall(${mmap}, 0, 300_000_000, 3, 0x21, -1, 0); open($zero, "<", "/dev/zero"); syscall(${readCall}, fileno($zero), $at, 300_000_000); fork`,
        'in anonymous files': `for (1 .. 6) { my $name = "x"; $fd = syscall(${memfdCreate}, $name, 0); open(my $f, ">&=", $fd); syswrite($f, "x" x 50_000_000); push @open, $f }`,
      }),
      async (_, perl) => {
        expect(await runUntilLimit(`perl -e '${perl}; sleep 600'`)).toMatchObject({ limit: 'memory' })
      },
    ),
  )

  test('is charged once for memory that its processes share', async () => {
    const perl = `$at = syscall(${mmap}, 0, 100_000_000, 3, 0x21, -1, 0); open($zero, "<", "/dev/zero"); syscall(${readCall}, fileno($zero), $at, 100_000_000); fork for 1 .. 2; sleep 3`
    expect(await runUntilLimit(`perl -e '${perl}'`)).toBeUndefined()
  })

  test('cannot write an unlimited log', async () => {
    const { said, end } = await runAttack(environment.isolation, environment.directory, guarded('exec yes'))
    expect(said.length).toBeLessThanOrEqual(64 * 1024 ** 2)
    expect(end).not.toBe(0)
  })

  test('cannot unpack a repository beyond the disk limit', async () => {
    const repository = await zeros(300)
    const script = guarded(`git -c safe.directory='*' clone -q ${repository} out; du -sm . | cut -f1`)
    const { said } = await runAttack(environment.isolation, environment.directory, script, { readOnly: [repository] })
    expect(Number(/^(\d+)$/m.exec(said)?.[1])).toBeLessThanOrEqual(66)
    await rm(repository, { recursive: true, force: true })
  })

  test('cannot check out a source that is too large, which is rejected before it is unpacked', async () => {
    const repository = await zeros(300)
    const settings = { mode: 'bubblewrap', network: 'host', endpoints: [], directory: environment.directory } as const
    const limits = { ...defaultLimits, cpus: 1 }
    const { url } = environment.installation
    const isolation = await openIsolation({ ...settings, limits, url, toolFolders: [repository] })
    const config = join(repository, 'config-of-git')
    await writeFile(config, '[safe]\n\tdirectory = *\n') // otherwise git rejects a repository of another user
    const place = await mkdtemp(join(environment.directory, 'source-'))
    const attempt = await createAttempt(place, isolation)
    const address = `file://${repository}`
    const access = async () => ({
      url: address,
      environment: { GIT_CONFIG_GLOBAL: config },
      addresses: [],
      secrets: [],
    })
    const user = { ...attempt, organizationId: 'org_b', mask: () => {}, api: { requestSourceAccess: access } }
    const kept = {
      directory: join(place, 'kept'),
      addresses: isolation,
      extraProtocols: ['file'],
      maxBytes: 64 * 1024 ** 2,
    }
    const source = { url: address, basePath: '.' }
    const checkedOut = checkOutOnce(source, { repositories: createRepositories(kept), attempt: user })
    await expect(checkedOut).rejects.toThrow('is too large: a source can have at most 64 MiB')
    const { stdout } = await run('du', ['-sm', place])
    expect(Number.parseInt(stdout, 10)).toBeLessThanOrEqual(4)
    await rm(repository, { recursive: true, force: true })
  })

  test('cannot open more files than the limit or exhaust those of tenant A', async () => {
    const script = guarded(`perl -e 'while (open($f[$n++], "<", "/dev/null")) {} print $n, "\\n"'`)
    const { said } = await runAttack(environment.isolation, environment.directory, script)
    expect(Number(said)).toBeLessThanOrEqual(16_384)
    await waitUntil('tenant A to continue', () => environment.isUnharmed())
  })
})

/** Creates a repository with a file of zeros of the given size, which packs to a thousandth. */
async function zeros(sizeMiB: number): Promise<string> {
  const repository = await mkdtemp(join(environment.directory, 'zeros-'))
  await chmod(repository, 0o755)
  const git = (...args: string[]) =>
    run('git', ['-C', repository, '-c', 'user.name=b', '-c', 'user.email=b@example.com', ...args])
  await git('init', '-q')
  await writeFile(join(repository, 'zeros'), Buffer.alloc(sizeMiB * 1024 ** 2))
  await git('add', 'zeros')
  await git('commit', '-q', '-m', 'zeros')
  await rm(join(repository, 'zeros'))
  return repository
}
