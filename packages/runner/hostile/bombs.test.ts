import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyCase } from '../../../testing/every-case.ts'
import { usualLimits } from '../src/isolation/limits.ts'
import { openIsolation } from '../src/isolation/open.ts'
import type { Watched, WatchedLimit } from '../src/isolation/watch.ts'
import { attemptIn } from '../src/programs/attempt.fixture.ts'
import { checkOutOnce } from '../src/sources/checkout.ts'
import { createRepositories } from '../src/sources/repositories.ts'
import { victory } from './reach.ts'
import { attack, startTenant, until } from './tenant.ts'
import { type HostileWorld, missing, startHostileWorld } from './world.ts'

/** The numbers of system calls, where perl has no names for them. */
const [readCall, mmap, prctl, memfdCreate] = process.arch === 'arm64' ? [63, 222, 167, 279] : [0, 9, 157, 319]

const run = promisify(execFile)
/** Nothing here may be begun outside of a sandbox. */
const guarded = (script: string): string => `grep -q bwrap /proc/1/cmdline || exit 99\n${script}`
let world: HostileWorld

beforeAll(async () => {
  if (!missing) world = await startHostileWorld()
}, 300_000)
afterAll(() => world?.[Symbol.asyncDispose](), 60_000)

/** Runs what must be stopped by a limit that is watched, and stops it. */
async function stoppedBy(script: string): Promise<WatchedLimit | undefined> {
  const running = await startTenant(world.isolation, world.directory, guarded(script))
  const over = new AbortController()
  void running.ended.then(() => over.abort())
  const watched: Watched = { pid: async () => running.pid, folders: [running.work, join(running.records, '../tmp')] }
  const found = await world.isolation.watch(watched, over.signal)
  if (found) running.signal('SIGKILL')
  await running.ended
  return found
}

describe.skipIf(missing)(`a program that wants everything${missing ? ` [${missing}]` : ''}`, () => {
  test('starts as many processes as it may and no more: tenant A goes on', async () => {
    const script = guarded('bomb() { bomb | bomb & wait; }; bomb')
    const { said } = await attack(world.isolation, world.directory, script, {
      enough: (said) => /Cannot fork|Resource temporarily unavailable/i.test(said),
    })
    expect(said).toMatch(/Cannot fork|Resource temporarily unavailable/i)
    expect(await world.isUnharmed()).toBe(true)
  })

  test('gets no more memory in one process than it may', async () => {
    const script = guarded(`perl -e '$x = "a" x 1_000_000_000; print "<WO" . "N>"'`)
    const { said, end } = await attack(world.isolation, world.directory, script)
    expect(said).not.toContain(victory)
    expect(end).not.toBe(0)
  })

  test('gets no more memory in many processes together', async () => {
    const one = `perl -e '$x = "a" x 90_000_000; sleep 600'`
    const found = await stoppedBy(`for i in 1 2 3 4 5 6; do ${one} & done; wait`)
    expect(found).toMatchObject({ limit: 'memory' })
    expect(await world.isUnharmed()).toBe(true)
  })

  test('gets no more than 64 MiB of shared memory, and none where the root is', async () => {
    const script = guarded(
      'head -c 200M /dev/zero >/dev/shm/x; stat -c %s /dev/shm/x; head -c 1M /dev/zero >/x; head -c 1M /dev/zero >/dev/x',
    )
    const { said } = await attack(world.isolation, world.directory, script)
    expect(Number(/^(\d+)$/m.exec(said)?.[1])).toBeLessThanOrEqual(64 * 1024 ** 2)
    expect(said.match(/Read-only file system/g)).toHaveLength(2)
  })

  test('fills the disk with one file up to its limit', async () => {
    const { said } = await attack(world.isolation, world.directory, guarded('head -c 300M /dev/zero >x; stat -c %s x'))
    expect(Number(/^(\d+)$/m.exec(said)?.[1])).toBe(64 * 1024 ** 2)
  })

  test('is stopped when many files together are too much', async () => {
    const found = await stoppedBy(
      'i=0; while :; do i=$((i+1)); head -c 8M /dev/zero >"$(($i % 12))" ; sleep 0.01; done',
    )
    expect(found).toMatchObject({ limit: 'disk' })
  })

  test('is stopped when it has made too many files, wherever it makes them', async () => {
    const found = await stoppedBy(
      'cd /tmp; i=0; while :; do i=$((i+1)); : >"$i"; [ $((i % 500)) = 0 ] && sleep 0.1; done',
    )
    expect(found).toMatchObject({ limit: 'files' })
  })

  test(
    'is stopped when files without a name are too much',
    everyCase(
      Object.entries({
        'that all may see': 'perl -e',
        'of a process that hides': `perl -e 'syscall(${prctl}, 4, 0, 0, 0, 0); eval(pop)'`,
        'of a program that nobody may read': 'cp /usr/bin/perl own; chmod 111 own; ./own -e',
      }),
      async (_, perl) => {
        const fill = `for my $n (1 .. 3) { open(my $f, ">", "x$n"); unlink("x$n"); syswrite($f, "x" x 30_000_000); push @open, $f }`
        expect(await stoppedBy(`${perl} '${fill} sleep 600'`)).toMatchObject({ limit: 'disk' })
      },
    ),
  )

  test('is stopped when its folders are nested so deep that nobody finds what is in them', async () => {
    const script = `perl -e 'for (1 .. 1500) { mkdir("deep"); chdir("deep") } open(F, ">", "hidden"); print F "x" x 9_000_000; sleep 600'`
    expect(await stoppedBy(script)).toMatchObject({ limit: 'files', message: expect.stringContaining('deeper') })
  })

  test(
    'is stopped when memory that no process has for itself is too much',
    everyCase(
      Object.entries({
        'mapped by several': `$at = syscall(${mmap}, 0, 300_000_000, 3, 0x21, -1, 0); open($zero, "<", "/dev/zero"); syscall(${readCall}, fileno($zero), $at, 300_000_000); fork`,
        'in files without a name': `for (1 .. 6) { my $name = "x"; $fd = syscall(${memfdCreate}, $name, 0); open(my $f, ">&=", $fd); syswrite($f, "x" x 50_000_000); push @open, $f }`,
      }),
      async (_, perl) => {
        expect(await stoppedBy(`perl -e '${perl}; sleep 600'`)).toMatchObject({ limit: 'memory' })
      },
    ),
  )

  test('shares memory among many processes, which counts once', async () => {
    const perl = `$at = syscall(${mmap}, 0, 100_000_000, 3, 0x21, -1, 0); open($zero, "<", "/dev/zero"); syscall(${readCall}, fileno($zero), $at, 100_000_000); fork for 1 .. 2; sleep 3`
    expect(await stoppedBy(`perl -e '${perl}'`)).toBeUndefined()
  })

  test('writes no log without end', async () => {
    const { said, end } = await attack(world.isolation, world.directory, guarded('exec yes'))
    expect(said.length).toBeLessThanOrEqual(64 * 1024 ** 2)
    expect(end).not.toBe(0)
  })

  test('unpacks a small repository to no more than its disk', async () => {
    const repository = await zeros(300)
    const script = guarded(`git -c safe.directory='*' clone -q ${repository} out; du -sm . | cut -f1`)
    const { said } = await attack(world.isolation, world.directory, script, { readOnly: [repository] })
    expect(Number(/^(\d+)$/m.exec(said)?.[1])).toBeLessThanOrEqual(66)
    await rm(repository, { recursive: true, force: true })
  })

  test('is refused as a source before it is unpacked, when that would be too much', async () => {
    const repository = await zeros(300)
    const settings = { wish: 'bubblewrap', network: 'host', endpoints: [], directory: world.directory } as const
    const limits = { ...usualLimits, cpus: 1 }
    const { url } = world.installation
    const isolation = await openIsolation({ ...settings, limits, url, toolFolders: [repository] })
    const config = join(repository, 'config-of-git')
    await writeFile(config, '[safe]\n\tdirectory = *\n') // git takes no repository of another user otherwise
    const place = await mkdtemp(join(world.directory, 'source-'))
    const attempt = await attemptIn(place, isolation)
    const address = `file://${repository}`
    const access = async () => ({
      url: address,
      environment: { GIT_CONFIG_GLOBAL: config },
      addresses: [],
      secrets: [],
    })
    const user = { ...attempt, organizationId: 'org_b', mask: () => {}, calls: { sourceAccess: access } }
    const kept = { directory: join(place, 'kept'), places: isolation, alsoAllow: ['file'], mostBytes: 64 * 1024 ** 2 }
    const source = { url: address, basePath: '.' }
    const checkedOut = checkOutOnce(source, { repositories: createRepositories(kept), attempt: user })
    await expect(checkedOut).rejects.toThrow('is too large: a source has at most 64 MiB')
    const { stdout } = await run('du', ['-sm', place])
    expect(Number.parseInt(stdout, 10)).toBeLessThanOrEqual(4)
    await rm(repository, { recursive: true, force: true })
  })

  test('opens no more files than it may, and leaves tenant A its own', async () => {
    const script = guarded(`perl -e 'while (open($f[$n++], "<", "/dev/null")) {} print $n, "\\n"'`)
    const { said } = await attack(world.isolation, world.directory, script)
    expect(Number(said)).toBeLessThanOrEqual(16_384)
    await until('tenant A to go on', () => world.isUnharmed())
  })
})

/** A repository with a file of so many MiB of zeros, which packs to a thousandth. */
async function zeros(sizeMiB: number): Promise<string> {
  const repository = await mkdtemp(join(world.directory, 'zeros-'))
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
