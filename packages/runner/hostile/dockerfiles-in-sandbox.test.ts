import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, chown, cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findSystemProgram } from '../src/isolation/machine.ts'
import { printVictoryIf, victory } from './attacks.ts'
import { listCommandLines } from './command-lines.ts'
import { skipReason as withoutSandbox } from './environment.ts'
import type { BuilderSettings, Built, ToBuild } from './image-builder.ts'
import { waitUntil } from './tenant.ts'

const builder = fileURLToPath(new URL('image-builder.ts', import.meta.url))

/** Users of runners that isolate programs. Their ID ranges exist only in the mount namespace of the test. */
const users = [
  { name: 'root', uid: 0, first: 300_000 },
  { name: 'daemon', uid: 1, first: 400_000 },
]

async function findSkipReason(uid: number): Promise<string | undefined> {
  if (withoutSandbox) return withoutSandbox
  if (process.getuid?.() !== 0) return 'skipped: root'
  for (const program of ['buildah', 'slirp4netns', 'ip', 'newuidmap', 'perl']) {
    if (!(await findSystemProgram(program))) return `skipped: ${program}`
  }
  const asUser = [
    '--reuid',
    String(uid),
    '--regid',
    String(uid),
    '--clear-groups',
    process.execPath,
    '--check',
    builder,
  ]
  return spawnSync('setpriv', asUser).status === 0 ? undefined : `skipped: user ${uid} cannot read this folder`
}

/** Starts the runner with its own /etc/subuid and /etc/subgid. */
const start = `mount --bind "$1" /etc/subuid; mount --bind "$1" /etc/subgid; uid=$2; shift 2
exec setpriv "--reuid=$uid" "--regid=$uid" --clear-groups "$@"`

/** The classic escape from a chroot. */
const wayOut =
  'mkdir("/jail"); chroot("/jail") or die; chdir("..") for 1..64; chroot("."); print "o"."ut\\n" if -e "/usr/share"'

/** The root of the sandbox outside of the image, if it is accessible. */
const outside = '/proc/1/root'

/** Returns a packed socket address for Perl without modules. */
const socketAddress = (address: string, port: number) =>
  `pack("Sna4x8", 2, ${port}, pack("C4", ${address.replaceAll('.', ', ')}))`

for (const { name, uid, first } of users) {
  const missing = await findSkipReason(uid)
  describe.skipIf(missing)(`a hostile Dockerfile in a sandbox of ${name}${missing ? ` [${missing}]` : ''}`, () => {
    const secret = `hostile-${randomBytes(16).toString('hex')}`
    let root: string
    let runner: ChildProcess
    let lines: Interface
    let ended: Promise<[string]>
    let listener: Server
    let port: number

    beforeAll(async () => {
      root = await mkdtemp(join(tmpdir(), 'sluice-dockerfiles-'))
      await chmod(root, 0o755)
      const [base, home, ranges] = [join(root, 'base'), join(root, 'home'), join(root, 'ranges')]
      for (const program of [
        'cat',
        'dash',
        'grep',
        'ls',
        'mkdir',
        'mknod',
        'mount',
        'perl',
        'setsid',
        'sleep',
        'tr',
        'unshare',
        'yes',
      ]) {
        await put(program, base)
      }
      await cp(join(base, 'bin/dash'), join(base, 'bin/sh'))
      await writeFile(ranges, `${name}:${first}:65536\n`, { mode: 0o644 })
      await mkdir(home)
      // The runner's user can read this file; programs must not.
      await writeFile(join(home, 'token'), secret, { mode: 0o600 })
      for (const path of [home, join(home, 'token')]) await chown(path, uid, uid)
      const answer = `HTTP/1.1 200 OK\r\ncontent-length: ${secret.length}\r\n\r\n${secret}`
      listener = createServer((socket) => socket.end(answer)).listen(0, '127.0.0.1')
      await once(listener, 'listening')
      port = (listener.address() as { port: number }).port
      const limits = { processes: 100, diskBytes: 200 * 1024 ** 2, files: 20_000 }
      const settings: BuilderSettings = { directory: join(home, 'runner'), base, limits }
      const argv = [
        '--mount',
        'sh',
        '-ec',
        start,
        'sh',
        ranges,
        String(uid),
        process.execPath,
        builder,
        JSON.stringify(settings),
      ]
      const env = { PATH: process.env.PATH, HOME: home, SLUICE_RUNNER_TOKEN: secret }
      runner = spawn('unshare', argv, { env, cwd: '/', stdio: ['pipe', 'pipe', 'inherit'] })
      ended = once(runner, 'exit').then(() => [JSON.stringify({ said: 'the runner has exited' })])
      lines = createInterface(runner.stdout as NonNullable<ChildProcess['stdout']>)
    }, 60_000)
    afterAll(async () => {
      runner.stdin?.end()
      await ended
      listener.close()
      await rm(root, { recursive: true, force: true })
    })

    async function build(dockerfile: string, more: Omit<ToBuild, 'dockerfile'> = {}): Promise<Built> {
      const answer = once(lines, 'line')
      runner.stdin?.write(`${JSON.stringify({ dockerfile, ...more })}\n`)
      const [line] = await Promise.race([answer, ended])
      return JSON.parse(String(line))
    }
    /**
     * Creates one `RUN` of a script. Its output differs from its text, which the log shows too. Standard error is
     * merged, so that lines of both streams do not mix.
     */
    const run = (...script: string[]) => `RUN ${['exec 2>&1', ...script, 'echo tri""ed'].join('; ')}`

    async function gotNothing(dockerfile: string): Promise<void> {
      const { said } = await build(dockerfile)
      expect(said).toContain('\ntried\n')
      expect(said).not.toContain(victory)
      expect(said).not.toContain(secret)
    }

    test('is built with files of several users', async () => {
      const { said, code } = await build(
        run(`perl -e 'mkdir("/own"); chown(1000, 65535, "/own") or die'`, 'ls -lnd /own'),
      )
      expect(code, said).toBeUndefined()
      expect(said).toMatch(/^d\S+ +\d+ 1000 65535 /m)
    })

    test('cannot read the machine, its runner or other attempts', async () => {
      const files = [`${root}/home/token`, '/etc/shadow', `${root}/home/runner/networks`]
      const theirs = ['', outside].flatMap((above) => files.map((file) => printVictoryIf(`ls ${above}${file}`)))
      const environments = 'cat /proc/[0-9]*/environ | tr "\\\\0" "\\\\n"'
      await gotNothing(run(...theirs, environments))
    })

    test('cannot escape from its image with another chroot', async () => {
      const { said } = await build(run(`perl -e '${wayOut}'`))
      expect(said).toContain('\ntried\n')
      expect(said).not.toContain('\nout\n')
    })

    test('cannot change its sandbox or shared files', async () => {
      const written = ['/etc/passwd', '/etc/resolv.conf', '/usr/evil'].map((path) =>
        printVictoryIf(`echo evil >>${outside}${path}`),
      )
      const mounts = [
        printVictoryIf('mount -t tmpfs none /mnt'),
        printVictoryIf('mount --bind / /mnt'),
        printVictoryIf(`mount -o remount,rw,bind ${outside}/etc`),
        ...['--mount', '--net', '--user'].map((kind) => printVictoryIf(`unshare ${kind} true`)),
      ]
      await gotNothing(run('mkdir /mnt', ...written, ...mounts, ...written))
    })

    test('cannot reach ports of the machine or metadata services of clouds', async () => {
      const connect = (address: string, to: number) =>
        printVictoryIf(
          `perl -e 'alarm 3; socket(S, 2, 1, 0) or die; exit(connect(S, ${socketAddress(address, to)}) ? 0 : 1)'`,
        )
      const own = ['127.0.0.1', '198.18.73.2'].map((address) => connect(address, port))
      await gotNothing(run(...own, connect('169.254.169.254', 80)))
      const there = socketAddress('127.0.0.1', 4711)
      const listens = `socket(L, 2, 1, 0); bind(L, ${there}) or die; listen(L, 1) or die`
      const { said } = await build(
        run(`perl -e '${listens}; socket(S, 2, 1, 0); connect(S, ${there}) or die; print "conn"."ected\\n"'`),
      )
      expect(said, 'control: an allowed connection succeeds').toContain('\nconnected\n')
    })

    test('cannot add files from addresses of the machine or metadata services of clouds', async () => {
      for (const address of [`http://127.0.0.1:${port}/`, 'http://169.254.169.254/latest/meta-data/']) {
        const { said, code } = await build(`ADD ${address} /got\n${run('cat /got')}`)
        expect(said).not.toContain(secret)
        expect(code, said).toBeDefined()
      }
    })

    test('has no devices of the machine', async () => {
      await gotNothing(
        run(
          printVictoryIf('mknod /disk b 254 0'),
          printVictoryIf('mknod /tmp/disk b 254 0'),
          printVictoryIf('ls /dev/vda /dev/sda'),
        ),
      )
    })

    test('cannot exceed the process limit by switching users', async () => {
      const bomb =
        `perl -e '$$n = 0; for $$u (1..400) { $$p = fork; if (!defined $$p) { print "full $$n\\n"; last } if (!$$p) { $$> = $$u; sleep 5; exit } $$n++ }'`.replaceAll(
          '$$',
          '$',
        )
      const { said } = await build(run(bomb))
      const started = Number(/^full (\d+)$/m.exec(said)?.[1])
      expect(started, said).toBeLessThan(100)
    })

    test('is stopped when it fills the disk, even in folders that only other users can read', async () => {
      const closed = `perl -e 'mkdir("/own", 0700); chown(1000, 1000, "/own"); $) = 1000; $> = 1000; for $n (1..9999) { open(F, ">/own/$n") or die; print F "x" x 4_000_000; close F; select(undef, undef, undef, 0.02) }'`
      const { code } = await build(run(closed), { commandSeconds: 120 })
      expect(code).toBe('Sluice:PipelineRuns:PROGRAM_OVER_LIMIT')
    })

    test('leaves no processes or files', async () => {
      const seconds = `17${uid}.3205`
      await gotNothing(run(`(setsid sleep ${seconds} &)`))
      await waitUntil('its daemons to exit', async () =>
        (await listCommandLines()).every((line) => !line.includes(seconds)),
      )
      const left = await readdir(join(root, 'home/runner'))
      expect(left.filter((entry) => entry.startsWith('attempt-'))).toEqual([])
    })
  })
}

/** Copies a program of this machine with its libraries. */
async function put(program: string, base: string): Promise<void> {
  const found = execFileSync('sh', ['-c', 'readlink -f "$(command -v "$1")"', 'sh', program], {
    encoding: 'utf8',
  }).trim()
  const copied = async (from: string, to: string) => {
    await mkdir(dirname(to), { recursive: true })
    await cp(from, to, { dereference: true })
  }
  await copied(found, join(base, 'bin', program))
  const libraries = execFileSync('ldd', [found], { encoding: 'utf8' })
  for (const library of new Set(libraries.match(/\/\S+/g))) await copied(library, join(base, library))
}
