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
import { systemProgram } from '../src/isolation/machine.ts'
import { commandLines } from './command-lines.ts'
import type { BuilderSettings, Built, ToBuild } from './image-builder.ts'
import { victory, wins } from './reach.ts'
import { until } from './tenant.ts'
import { missing as withoutSandbox } from './world.ts'

const builder = fileURLToPath(new URL('image-builder.ts', import.meta.url))

/** Runners that isolate their programs; the ranges are theirs for as long as this runs, and only where it looks. */
const users = [
  { name: 'root', uid: 0, first: 300_000 },
  { name: 'daemon', uid: 1, first: 400_000 },
]

async function whyNot(uid: number): Promise<string | undefined> {
  if (withoutSandbox) return withoutSandbox
  if (process.getuid?.() !== 0) return 'skipped: root'
  for (const program of ['buildah', 'slirp4netns', 'ip', 'newuidmap', 'perl']) {
    if (!(await systemProgram(program))) return `skipped: ${program}`
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
  return spawnSync('setpriv', asUser).status === 0 ? undefined : `skipped: user ${uid} may not read this folder`
}

/** Starts the runner with lines of its own in the files that give ranges. */
const start = `mount --bind "$1" /etc/subuid; mount --bind "$1" /etc/subgid; uid=$2; shift 2
exec setpriv "--reuid=$uid" "--regid=$uid" --clear-groups "$@"`

/** The oldest of the ways out of a changed root. */
const wayOut =
  'mkdir("/jail"); chroot("/jail") or die; chdir("..") for 1..64; chroot("."); print "o"."ut\\n" if -e "/usr/share"'

/** What the sandbox has outside of the image, for whoever may look there. */
const outside = '/proc/1/root'

/** The address of a socket, as Perl has it without its modules. */
const socketAddress = (address: string, port: number) =>
  `pack("Sna4x8", 2, ${port}, pack("C4", ${address.replaceAll('.', ', ')}))`

for (const { name, uid, first } of users) {
  const missing = await whyNot(uid)
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
      // What others on the machine have: the runner's user itself could read it.
      await writeFile(join(home, 'token'), secret, { mode: 0o600 })
      for (const path of [home, join(home, 'token')]) await chown(path, uid, uid)
      listener = createServer((socket) => socket.end(secret)).listen(0, '127.0.0.1')
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
      ended = once(runner, 'exit').then(() => [JSON.stringify({ said: 'the runner has ended' })])
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
     * A script as one `RUN`; what it says is no word of its own text, which the log shows too. Its errors go the same
     * way as what it says: of two ways, one might be read in the middle of a line of the other.
     */
    const run = (...script: string[]) => `RUN ${['exec 2>&1', ...script, 'echo tri""ed'].join('; ')}`

    async function gotNothing(dockerfile: string): Promise<void> {
      const { said } = await build(dockerfile)
      expect(said).toContain('\ntried\n')
      expect(said).not.toContain(victory)
      expect(said).not.toContain(secret)
    }

    test('is built, with files of other users than its root', async () => {
      const { said, code } = await build(
        run(`perl -e 'mkdir("/own"); chown(1000, 65535, "/own") or die'`, 'ls -lnd /own'),
      )
      expect(code, said).toBeUndefined()
      expect(said).toMatch(/^d\S+ +\d+ 1000 65535 /m)
    })

    test('reads nothing of the machine, its runner and other attempts', async () => {
      const files = [`${root}/home/token`, '/etc/shadow', `${root}/home/runner/networks`]
      const theirs = ['', outside].flatMap((above) => files.map((file) => wins(`ls ${above}${file}`)))
      const environments = 'cat /proc/[0-9]*/environ | tr "\\\\0" "\\\\n"'
      await gotNothing(run(...theirs, environments))
    })

    test('comes out of its image by no other change of root', async () => {
      const { said } = await build(run(`perl -e '${wayOut}'`))
      expect(said).toContain('\ntried\n')
      expect(said).not.toContain('\nout\n')
    })

    test('changes nothing of its sandbox, nor of what others are given', async () => {
      const written = ['/etc/passwd', '/etc/resolv.conf', '/usr/evil'].map((path) =>
        wins(`echo evil >>${outside}${path}`),
      )
      const mounts = [
        wins('mount -t tmpfs none /mnt'),
        wins('mount --bind / /mnt'),
        wins(`mount -o remount,rw,bind ${outside}/etc`),
        ...['--mount', '--net', '--user'].map((kind) => wins(`unshare ${kind} true`)),
      ]
      await gotNothing(run('mkdir /mnt', ...written, ...mounts, ...written))
    })

    test('reaches neither what listens on the machine nor where clouds keep credentials', async () => {
      const connect = (address: string, to: number) =>
        wins(`perl -e 'alarm 3; socket(S, 2, 1, 0) or die; exit(connect(S, ${socketAddress(address, to)}) ? 0 : 1)'`)
      const own = ['127.0.0.1', '198.18.73.2'].map((address) => connect(address, port))
      await gotNothing(run(...own, connect('169.254.169.254', 80)))
      const there = socketAddress('127.0.0.1', 4711)
      const listens = `socket(L, 2, 1, 0); bind(L, ${there}) or die; listen(L, 1) or die`
      const { said } = await build(
        run(`perl -e '${listens}; socket(S, 2, 1, 0); connect(S, ${there}) or die; print "conn"."ected\\n"'`),
      )
      expect(said, 'it could have, where it may').toContain('\nconnected\n')
    })

    test('has no device of the machine', async () => {
      await gotNothing(run(wins('mknod /disk b 254 0'), wins('mknod /tmp/disk b 254 0'), wins('ls /dev/vda /dev/sda')))
    })

    test('starts no more processes than it may, whichever users it becomes', async () => {
      const bomb =
        `perl -e '$$n = 0; for $$u (1..400) { $$p = fork; if (!defined $$p) { print "full $$n\\n"; last } if (!$$p) { $$> = $$u; sleep 5; exit } $$n++ }'`.replaceAll(
          '$$',
          '$',
        )
      const { said } = await build(run(bomb))
      const started = Number(/^full (\d+)$/m.exec(said)?.[1])
      expect(started, said).toBeLessThan(100)
    })

    test('is stopped when it fills the disk, also where only others may look', async () => {
      const closed = `perl -e 'mkdir("/own", 0700); chown(1000, 1000, "/own"); $) = 1000; $> = 1000; for $n (1..9999) { open(F, ">/own/$n") or die; print F "x" x 4_000_000; close F; select(undef, undef, undef, 0.02) }'`
      const { code } = await build(run(closed), { commandSeconds: 120 })
      expect(code).toBe('Sluice:PipelineRuns:PROGRAM_OVER_LIMIT')
    })

    test('leaves neither processes nor files behind', async () => {
      const seconds = `17${uid}.3205`
      await gotNothing(run(`(setsid sleep ${seconds} &)`))
      await until('its daemons to be gone', async () => (await commandLines()).every((line) => !line.includes(seconds)))
      const left = await readdir(join(root, 'home/runner'))
      expect(left.filter((entry) => entry.startsWith('attempt-'))).toEqual([])
    })
  })
}

/** Copies a program of this machine, with its libraries. */
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
