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
import { buildImage } from '../src/builds/image.ts'
import type { ImageStore } from '../src/builds/image-store.ts'
import { openLayerCache } from '../src/builds/layer-cache.ts'
import { findSystemProgram } from '../src/isolation/machine.ts'
import { printVictoryIf, victory } from './attacks.ts'
import { listCommandLines } from './command-lines.ts'
import { waitUntil } from './tenant.ts'

/** Requires root: the build runs with the isolation of image builds only. */
const missing =
  process.getuid?.() !== 0 ? 'skipped: root' : (await findSystemProgram('buildah')) ? undefined : 'skipped: buildah'

/** A secret of the machine and the runner. */
const secret = `hostile-${randomBytes(16).toString('hex')}`
let root: string
/** The files of a base image with a shell and some programs of this machine. */
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

/** Builds an image of a Dockerfile as the runner does. `prepare` adds files to the build context. */
async function build(
  dockerfile: string,
  {
    prepare,
    store,
    ...more
  }: Partial<ImageBuildOrder> & {
    prepare?: (work: string) => Promise<unknown>
    store?: ImageStore
  } = {},
): Promise<Built> {
  const attempt = await mkdtemp(join(root, 'attempt-'))
  const [internal, inputs, checkpoints, work, temporary] = ['apart', 'given', 'notes', 'work', 'tmp'].map((name) =>
    join(attempt, name),
  ) as [string, string, string, string, string]
  for (const folder of [internal, inputs, checkpoints, work, temporary]) await mkdir(folder, { mode: 0o700 })
  await cp(base, join(work, 'base'), { recursive: true })
  await writeFile(join(work, 'Dockerfile'), `FROM scratch\nCOPY base /\n${dockerfile}\n`)
  await prepare?.(work)
  const log = join(attempt, 'log')
  const folders = { internal, inputs, checkpoints }
  const present: Pick<Attempt, 'folders' | 'log' | 'lastLogLines' | 'runProgram'> = {
    folders,
    log: () => {},
    lastLogLines: () => [],
    runProgram: async (_, { argv: [program, ...args], env }: Command) => {
      const fd = openSync(log, 'a')
      const own = { PATH: process.env.PATH, HOME: work, TMPDIR: temporary, ...env }
      const child = spawn(program, args, { cwd: work, env: own, detached: true, stdio: ['ignore', fd, fd] })
      closeSync(fd)
      const [exitCode, signal] = await once(child, 'exit')
      return exitCode === null ? { signal: String(signal) } : { exitCode: Number(exitCode) }
    },
  }
  const order: ImageBuildOrder = {
    kind: 'build',
    publishedAs: 'image',
    source: { basePath: '.', files: {} },
    dockerfile: 'Dockerfile',
    context: '.',
    isInjected: false,
    arguments: {},
    secrets: {},
    ...more,
  }
  const failure = await buildImage(present as Attempt, order, { cwd: work, as: 'root', ...(store && { store }) }).then(
    () => undefined,
    (error: unknown) => error,
  )
  return { said: await readFile(log, 'utf8'), failure, folders, work }
}

/** Creates one `RUN` of a script. Its output differs from its text, which the log shows too. */
const run = (...lines: string[]) => `RUN ${[...lines, 'echo tri""ed'].join('; ')}`

describe.skipIf(missing)(`a hostile Dockerfile${missing ? ` [${missing}]` : ''}`, () => {
  test('cannot see or signal the runner, whose environment has its token', async () => {
    const runner = spawn('sleep', ['271.828'], { env: { SLUICE_RUNNER_TOKEN: secret } })
    const { said, failure } = await build(
      run(
        'cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline | tr "\\\\0" "\\\\n"',
        printVictoryIf(`kill -9 ${runner.pid}`),
        printVictoryIf(`ls /proc/${runner.pid}`),
        printVictoryIf(`kill -0 ${process.pid}`),
      ),
    )
    expect(failure, said).toBeUndefined()
    expect(said).toContain('tried')
    expect(said).not.toContain(victory)
    expect(said).not.toContain(secret)
    expect(runner.exitCode ?? runner.signalCode).toBeNull()
    runner.kill('SIGKILL')
  })

  test('cannot read files of the machine or of another attempt', async () => {
    const file = join(root, 'outside')
    const neighbour = await build('', { prepare: (work) => writeFile(join(work, 'own'), secret) })
    const { said } = await build(
      run(
        ...[file, join(neighbour.work, 'own'), `/proc/1/root${file}`, `/proc/self/root${file}`].map((one) =>
          printVictoryIf(`cat ${one}`),
        ),
        printVictoryIf(`chroot /proc/1/root cat ${file}`),
        printVictoryIf(`mount --bind /proc/1/root /mnt`),
      ),
    )
    expect(said).toContain('tried')
    expect(said).not.toContain(victory)
    expect(said).not.toContain(secret)
  })

  test('cannot escape from its root with a nested chroot', async () => {
    // A folder stays open while the root changes to one below it. From there, `..` leads to the machine's root.
    const leave = `opendir D, "/"; mkdir "/in"; chroot "/in" or die "kept: $!"; chdir D; chdir ".." for 1 .. 64; chroot ".";`
    const script = `${leave} print "<WO" . "N> outside\\n" if open F, "<", "${join(root, 'outside')}"; print <F>;`
    const { said, failure } = await build(
      run('perl -e "exit 0" && echo pe""rl', 'perl /script.pl', printVictoryIf('chroot /bin /sh')),
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

  test('has no disks of the machine', async () => {
    const { said } = await build(
      run(
        'ls -A /dev',
        printVictoryIf('mknod /disk b 8 0'),
        printVictoryIf('dd if=/dev/vda of=/out count=1'),
        printVictoryIf('dd if=/dev/sda of=/out count=1'),
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
  ])('cannot copy files from outside of its context by %s', async (_, line, prepare) => {
    const { said } = await build(`${line}\n${run('cat /got')}`, { prepare })
    expect(said).not.toContain(secret)
    const named = await build('', { prepare, dockerfile: 'evil' })
    expect(named.said).not.toContain(secret)
  })

  test('cannot read images from files or stores of the machine', async () => {
    const own = join(root, 'machine')
    const store = ['--root', join(own, 'store'), '--runroot', join(own, 'run'), '--storage-driver', 'vfs']
    const buildah = (...args: string[]) => execFileSync('buildah', [...store, ...args], { encoding: 'utf8' })
    await mkdir(join(own, 'context'), { recursive: true })
    await writeFile(join(own, 'context/secret'), secret)
    await writeFile(join(own, 'context/Dockerfile'), 'FROM scratch\nCOPY secret /secret\n')
    buildah('bud', '--isolation', 'chroot', '--tag', 'localhost/theirs', join(own, 'context'))
    buildah('push', 'localhost/theirs', `oci:${own}/oci`)
    buildah('push', 'localhost/theirs', `dir:${own}/dir`)
    const images = [
      `oci:${own}/oci`,
      `dir:${own}/dir`,
      `containers-storage:[vfs@${own}/store+${own}/run]localhost/theirs`,
    ]
    for (const image of images) {
      const lines = [`FROM ${image} AS theirs`, 'FROM scratch', 'COPY base /', 'COPY --from=theirs /secret /got']
      const asStage = await build([...lines, run('cat /got')].join('\n'))
      const copied = await build(`COPY --from=${image} /secret /got\n${run('cat /got')}`)
      const mounted = await build(run('cat /m/secret').replace('RUN', `RUN --mount=type=bind,from=${image},target=/m`))
      for (const { said, failure } of [asStage, copied, mounted]) {
        expect(said, image).not.toContain(secret)
        expect(failure, said).toBeDefined()
      }
    }
  })

  test('cannot write outside of the image', async () => {
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

  test('leaves no processes', async () => {
    const { said } = await build(run('(setsid sh -c "while :; do sleep 16.1803; done" &)', '(setsid sleep 16.1803 &)'))
    expect(said).toContain('tried')
    await waitUntil('its daemons to exit', async () =>
      (await listCommandLines()).every((line) => !line.includes('16.1803')),
    )
  })

  test('that never ends is stopped after its timeout with all processes', async () => {
    const { failure } = await build(
      'RUN setsid sleep 14.1421 & trap "" TERM INT HUP; while :; do sleep 14.1421; done',
      {
        commandSeconds: 3,
      },
    )
    expect(failure).toMatchObject({ error: { code: 'Sluice:PipelineRuns:STEP_TIMED_OUT' } })
    await waitUntil('it to exit', async () => (await listCommandLines()).every((line) => !line.includes('14.1421')))
  })

  test('leaves nothing in caches for the next build', async () => {
    const cached = (script: string) => `RUN --mount=type=cache,target=/cache ${script}`
    await build(cached('echo poi""son >/cache/x'))
    const next = await build(cached(`ls -A /cache; ${printVictoryIf('cat /cache/x')}`))
    expect(next.failure, next.said).toBeUndefined()
    expect(next.said).not.toContain(victory)
    expect(next.said).not.toMatch(/^poison/m)
    const again = await build(cached('echo poi""son >/cache/x'))
    expect(again.said).not.toContain('Using cache')
  })

  test('with cached layers cannot read those of others or change its own', async (context) => {
    const kept = await mkdtemp(join(root, 'kept-'))
    const { disabledReason } = await openLayerCache({ directory: kept, maxBytes: 1024 ** 3, as: 'root' })
    if (disabledReason !== undefined) return context.skip(disabledReason)
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
          ...[others, mine, kept, `/proc/1/root${others}`, `/proc/self/root${others}`].map((at) =>
            printVictoryIf(`ls ${at}`),
          ),
          printVictoryIf(`grep -r ${secret.slice(0, 20)} / --exclude-dir=proc --exclude-dir=sys --exclude-dir=dev`),
          printVictoryIf(`mount -o remount,rw /`),
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
