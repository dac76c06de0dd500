import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { ImageBuildOrder } from '@sluice/contract/runner-protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Attempt, Command } from '../src/attempt.ts'
import { builtImage } from '../src/builds/image.ts'
import { openLayers } from '../src/builds/layers.ts'
import type { Store } from '../src/builds/store.ts'
import { systemProgram } from '../src/isolation/machine.ts'
import { commandLines } from './command-lines.ts'
import { victory, wins } from './reach.ts'
import { until } from './tenant.ts'

/** Images are built by a runner that is root, with nothing around it but what the build itself has. */
const missing =
  process.getuid?.() !== 0 ? 'skipped: root' : (await systemProgram('buildah')) ? undefined : 'skipped: buildah'

/** What the machine and the runner keep to themselves. */
const secret = `hostile-${randomBytes(16).toString('hex')}`
let root: string
/** The files of an image in which scripts run: a shell and a few programs of this machine. */
let base: string

beforeAll(async () => {
  if (missing) return
  root = await mkdtemp(join(tmpdir(), 'sluice-dockerfiles-'))
  base = join(root, 'base')
  await writeFile(join(root, 'outside'), secret)
  const programs = [
    'cat',
    'chroot',
    'dash',
    'dd',
    'env',
    'grep',
    'ls',
    'mknod',
    'mount',
    'perl',
    'setsid',
    'sleep',
    'tr',
  ]
  for (const name of programs) {
    const program = execFileSync('sh', ['-c', 'readlink -f "$(command -v "$1")"', 'sh', name], {
      encoding: 'utf8',
    }).trim()
    await copied(program, join(base, 'bin', name))
    const libraries = execFileSync('ldd', [program], { encoding: 'utf8' })
    for (const library of new Set(libraries.match(/\/\S+/g))) await copied(library, join(base, library))
  }
  await copied('/bin/dash', join(base, 'bin/sh'))
}, 60_000)
afterAll(async () => {
  if (root) await rm(root, { recursive: true, force: true })
})

async function copied(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true })
  await cp(from, to, { dereference: true })
}

type Built = { said: string; failure: unknown; folders: Attempt['folders']; work: string }

/** Builds an image of a Dockerfile as the runner does; `prepare` makes the files beside it ready. */
async function build(
  dockerfile: string,
  {
    prepare,
    store,
    ...more
  }: Partial<ImageBuildOrder> & {
    prepare?: (work: string) => Promise<unknown>
    store?: Store
  } = {},
): Promise<Built> {
  const attempt = await mkdtemp(join(root, 'attempt-'))
  const [apart, given, notes, work, temporary] = ['apart', 'given', 'notes', 'work', 'tmp'].map((name) =>
    join(attempt, name),
  ) as [string, string, string, string, string]
  for (const folder of [apart, given, notes, work, temporary]) await mkdir(folder, { mode: 0o700 })
  await cp(base, join(work, 'base'), { recursive: true })
  await writeFile(join(work, 'Dockerfile'), `FROM scratch\nCOPY base /\n${dockerfile}\n`)
  await prepare?.(work)
  const log = join(attempt, 'log')
  const folders = { apart, given, notes }
  const present: Pick<Attempt, 'folders' | 'log' | 'lastLines' | 'process'> = {
    folders,
    log: () => {},
    lastLines: () => [],
    process: async (_, { argv: [program, ...args], env }: Command) => {
      const fd = openSync(log, 'a')
      const own = { PATH: process.env.PATH, HOME: work, TMPDIR: temporary, ...env }
      const child = spawn(program, args, { cwd: work, env: own, detached: true, stdio: ['ignore', fd, fd] })
      closeSync(fd)
      const [exitCode, signal] = await once(child, 'exit')
      return exitCode === null ? { signal: String(signal) } : { exitCode: Number(exitCode) }
    },
  }
  const order: ImageBuildOrder = {
    ...{ kind: 'build', publishedAs: 'image', source: { basePath: '.', files: {} } },
    ...{ dockerfile: 'Dockerfile', context: '.', isInjected: false, arguments: {}, secrets: {} },
    ...more,
  }
  const failure = await builtImage(present as Attempt, order, { cwd: work, as: 'root', ...(store && { store }) }).then(
    () => undefined,
    (error: unknown) => error,
  )
  return { said: await readFile(log, 'utf8'), failure, folders, work }
}

/** A script as one `RUN`; what it says is no word of its own text, which the log shows too. */
const run = (...lines: string[]) => `RUN ${[...lines, 'echo tri""ed'].join('; ')}`

describe.skipIf(missing)(`a hostile Dockerfile${missing ? ` [${missing}]` : ''}`, () => {
  test('neither sees nor signals the runner, whose environment has its token', async () => {
    const runner = spawn('sleep', ['271.828'], { env: { SLUICE_RUNNER_TOKEN: secret } })
    const { said, failure } = await build(
      run(
        'cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline | tr "\\\\0" "\\\\n"',
        wins(`kill -9 ${runner.pid}`),
        wins(`ls /proc/${runner.pid}`),
        wins(`kill -0 ${process.pid}`),
      ),
    )
    expect(failure, said).toBeUndefined()
    expect(said).toContain('tried')
    expect(said).not.toContain(victory)
    expect(said).not.toContain(secret)
    expect(runner.exitCode ?? runner.signalCode).toBeNull()
    runner.kill('SIGKILL')
  })

  test('reads no file of the machine, nor of another attempt, by whichever way', async () => {
    const file = join(root, 'outside')
    const neighbour = await build('', { prepare: (work) => writeFile(join(work, 'own'), secret) })
    const { said } = await build(
      run(
        ...[file, join(neighbour.work, 'own'), `/proc/1/root${file}`, `/proc/self/root${file}`].map((one) =>
          wins(`cat ${one}`),
        ),
        wins(`chroot /proc/1/root cat ${file}`),
        wins(`mount --bind /proc/1/root /mnt`),
      ),
    )
    expect(said).toContain('tried')
    expect(said).not.toContain(victory)
    expect(said).not.toContain(secret)
  })

  test('does not get out of its root by one within it', async () => {
    // The folder stays open while the root is changed to one below it; from there all of the machine is above.
    const leave = `opendir D, "/"; mkdir "/in"; chroot "/in" or die "kept: $!"; chdir D; chdir ".." for 1 .. 64; chroot ".";`
    const script = `${leave} print "<WO" . "N> outside\\n" if open F, "<", "${join(root, 'outside')}"; print <F>;`
    const { said, failure } = await build(
      run('perl -e "exit 0" && echo pe""rl', 'perl /script.pl', wins('chroot /bin /sh')),
      {
        prepare: (work) => writeFile(join(work, 'base', 'script.pl'), script),
      },
    )
    expect(failure, said).toBeUndefined()
    expect(said).toMatch(/^perl$/m)
    expect(said).toContain('kept: Operation not permitted')
    expect(said).toContain('tried')
    expect(said).not.toContain(victory)
    expect(said).not.toContain(secret)
  })

  test('has no disk of the machine', async () => {
    const { said } = await build(
      run(
        'ls -A /dev',
        wins('mknod /disk b 8 0'),
        wins('dd if=/dev/vda of=/out count=1'),
        wins('dd if=/dev/sda of=/out count=1'),
      ),
    )
    expect(said).toContain('tried')
    expect(said).not.toContain(victory)
    expect(said).not.toMatch(/^(vd|sd|nvme|mem|kmsg|loop|fuse)/m)
  })

  test.each<[string, string, (work: string) => Promise<unknown>]>([
    ['a link', 'COPY link /got', (work) => symlink(join(root, 'outside'), join(work, 'link'))],
    ['a link to a folder', 'COPY folder/outside /got', (work) => symlink(root, join(work, 'folder'))],
    ['a path above', 'COPY ../../outside /got', async () => {}],
    ['a link as the Dockerfile', 'COPY Dockerfile /got', (work) => symlink(join(root, 'outside'), join(work, 'evil'))],
  ])('takes nothing from outside of its folder by %s', async (_, line, prepare) => {
    const { said } = await build(`${line}\n${run('cat /got')}`, { prepare })
    expect(said).not.toContain(secret)
    const named = await build('', { prepare, dockerfile: 'evil' })
    expect(named.said).not.toContain(secret)
  })

  test('writes nothing outside of the image', async () => {
    const target = await mkdtemp(join(root, 'target-'))
    const archive = (work: string) =>
      execFileSync(
        'tar',
        ['-cPf', join(work, 'evil.tar'), '--transform', `s,^,../../../../../..${target}/,`, 'Dockerfile'],
        {
          cwd: work,
        },
      )
    await build(`RUN echo x >/x\nADD evil.tar /`, { prepare: async (work) => archive(work) })
    const linked = (work: string) => symlink(target, join(work, 'base', 'out'))
    await build('COPY Dockerfile /out/evil\nWORKDIR /out/folder', { prepare: linked })
    expect(await readdir(target)).toEqual([])
  })

  test('leaves no process behind', async () => {
    const { said } = await build(run('(setsid sh -c "while :; do sleep 16.1803; done" &)', '(setsid sleep 16.1803 &)'))
    expect(said).toContain('tried')
    await until('its daemons to be gone', async () => (await commandLines()).every((line) => !line.includes('16.1803')))
  })

  test('that never ends is ended in its time, with all that it began', async () => {
    const { failure } = await build(
      'RUN setsid sleep 14.1421 & trap "" TERM INT HUP; while :; do sleep 14.1421; done',
      {
        commandSeconds: 3,
      },
    )
    expect(failure).toMatchObject({ error: { code: 'Sluice:PipelineRuns:STEP_TIMED_OUT' } })
    await until('it to be gone', async () => (await commandLines()).every((line) => !line.includes('14.1421')))
  })

  test('leaves nothing for the next build in any cache', async () => {
    const cached = (script: string) => `RUN --mount=type=cache,target=/cache ${script}`
    await build(cached('echo poi""son >/cache/x'))
    const next = await build(cached(`ls -A /cache; ${wins('cat /cache/x')}`))
    expect(next.failure, next.said).toBeUndefined()
    expect(next.said).not.toContain(victory)
    expect(next.said).not.toMatch(/^poison/m)
    const again = await build(cached('echo poi""son >/cache/x'))
    expect(again.said).not.toContain('Using cache')
  })

  test('with kept layers neither reads those of others nor changes its own', async (context) => {
    const kept = await mkdtemp(join(root, 'kept-'))
    const { off } = await openLayers({ directory: kept, mostBytes: 1024 ** 3, as: 'root' })
    if (off !== undefined) return context.skip(off)
    const [mine, others] = ['mine', 'others'].map((name) => join(kept, name)) as [string, string]
    const stores = { mine: { root: mine, driver: 'overlay' }, others: { root: others, driver: 'overlay' } } as const
    const shared = 'RUN echo as made >/made'
    const other = await build(shared, {
      store: stores.others,
      prepare: (work) => writeFile(join(work, 'base/own'), secret),
    })
    expect(other.failure, other.said).toBeUndefined()
    const before = await build(shared, { store: stores.mine })
    expect(before.failure, before.said).toBeUndefined()
    const { said, failure } = await build(
      [
        shared,
        run(
          ...[others, mine, kept, `/proc/1/root${others}`, `/proc/self/root${others}`].map((at) => wins(`ls ${at}`)),
          wins(`grep -r ${secret.slice(0, 20)} / --exclude-dir=proc --exclude-dir=sys --exclude-dir=dev`),
          wins(`mount -o remount,rw /`),
          'echo ev""il >/made',
        ),
      ].join('\n'),
      { store: stores.mine },
    )
    expect(failure, said).toBeUndefined()
    expect(said).toContain('Using cache')
    expect(said).toContain('tried')
    expect(said).not.toContain(victory)
    const next = await build(`${shared}\nRUN cat /made`, { store: stores.mine })
    expect(next.said).toContain('Using cache')
    expect(next.said).toMatch(/^as made$/m)
    expect(next.said).not.toContain('evil')
  })
})
