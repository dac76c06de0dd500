import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { ImageBuildOrder, OrderedLayers } from '@sluice/contract/runner-protocol'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Attempt } from '../attempt.ts'
import { attemptIn } from '../programs/attempt.fixture.ts'
import { builtImage } from './image.ts'
import { whyNoLayers } from './layers.fixture.ts'
import { type Layers, openLayers } from './layers.ts'

const gibibyte = 1024 ** 3

const missing = process.getuid?.() === 0 ? await whyNoLayers() : 'root'

describe.skipIf(missing)(`layers of images${missing ? ` [skipped: ${missing}]` : ''}`, () => {
  let root: string
  /** The files of an image that has a shell. */
  let base: string
  let directory: string
  let layers: Layers
  let attempts = 0

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'sluice-layers-'))
    base = join(root, 'base')
    await copied('/bin/dash', join(base, 'bin/sh'))
    const libraries = execFileSync('ldd', ['/bin/dash'], { encoding: 'utf8' }).match(/\/\S+/g) ?? []
    for (const library of new Set(libraries)) await copied(library, join(base, library))
  })
  beforeEach(async () => {
    directory = await mkdtemp(join(root, 'kept-'))
    layers = await opened()
  })
  afterAll(() => rm(root, { recursive: true, force: true }))

  const copied = async (from: string, to: string) => {
    await mkdir(dirname(to), { recursive: true })
    await cp(from, to, { dereference: true })
  }
  const opened = (mostBytes = gibibyte) => openLayers({ directory, mostBytes, as: 'root' })

  const dockerfile = `FROM scratch
COPY base /
RUN echo tools >/tools
RUN echo more >/more
COPY page /page
RUN read line </page; echo "$line" >/made
`
  type Given = Partial<Omit<ImageBuildOrder, 'layers'>> & {
    layers?: Partial<OrderedLayers>
    organizationId?: string
    dockerfile?: string
    page?: string
  }

  /** An attempt that has taken layers, and has not put them back. */
  async function begun({ layers: named, organizationId = 'org_1', dockerfile: text, page = 'a', ...more }: Given) {
    attempts += 1
    const own = await attemptIn(join(root, `attempt-${attempts}`))
    await cp(base, join(own.directory, 'base'), { recursive: true })
    await writeFile(join(own.directory, 'page'), `${page}\n`)
    await writeFile(join(own.directory, 'Dockerfile'), text ?? dockerfile)
    const { signal } = new AbortController()
    const attempt = { ...own, organizationId, signal } as unknown as Attempt
    const order: ImageBuildOrder = {
      ...{ kind: 'build', publishedAs: 'image', source: { basePath: '.', files: {} } },
      ...{ context: '.', isInjected: false, arguments: {}, secrets: {} },
      ...more,
      dockerfile: 'Dockerfile',
      layers: { of: 'web', isFresh: false, ...named },
    }
    const lent = await layers.take(attempt, order)
    const build = () => builtImage(attempt, order, { cwd: own.directory, as: 'root', store: lent.store })
    return { ...lent, attempt, order, build }
  }

  async function built(given: Given = {}): Promise<{ steps: number; reused: number }> {
    const { build, putBack } = await begun(given)
    const { steps, reused } = await build()
    await putBack(10)
    return { steps, reused }
  }

  test('are used again as far as nothing that they were made of has changed', async () => {
    expect(layers.off).toBeUndefined()
    expect(await built()).toEqual({ steps: 5, reused: 0 })
    expect(await built()).toEqual({ steps: 5, reused: 5 })
    expect(await built({ page: 'b' })).toEqual({ steps: 5, reused: 3 })
    layers = await opened() // another start of the runner
    expect(await built({ page: 'b' })).toEqual({ steps: 5, reused: 5 })
  })

  test('are no other organization’s, and not those of what else is built', async () => {
    await built()
    expect(await built({ organizationId: 'org_2' })).toMatchObject({ reused: 0 })
    expect(await built({ layers: { of: 'web branch main' } })).toMatchObject({ reused: 0 })
  })

  test('are used by one build at a time; another that begins meanwhile builds without', async () => {
    await built()
    const [first, second] = [await begun({}), await begun({ page: 'b' })]
    expect(await second.build()).toMatchObject({ reused: 0 })
    expect(await first.build()).toMatchObject({ reused: 5 })
    await first.putBack()
    await second.putBack()
    expect(await built({ page: 'b' })).toMatchObject({ reused: 5 }) // those of the last one that has ended
    expect(await readdir(directory)).toHaveLength(1)
  })

  test('of a build that was killed are gone with it, and the next one begins anew', async () => {
    await built()
    const killed = await begun({})
    await killed.build()
    await rm(join(killed.attempt.directory, '..'), { recursive: true })
    expect(await built()).toMatchObject({ reused: 0 })
  })

  test('stay with an attempt that is taken up again, and are put back once', async () => {
    await built()
    const one = await begun({})
    const again = await layers.take(one.attempt, one.order)
    expect(again.store).toEqual(one.store)
    expect(again.secondsWithout).toBe(10)
    await one.build()
    await one.putBack()
    const next = await begun({}) // has them now
    const last = await layers.take(one.attempt, one.order)
    await last.putBack()
    expect(await readdir(directory)).toEqual([])
    expect(await next.build()).toMatchObject({ reused: 5 })
  })

  test('are not used where all is to be built anew, and are replaced then', async () => {
    await built()
    expect(await built({ layers: { isFresh: true } })).toMatchObject({ reused: 0 })
    expect(await built()).toMatchObject({ reused: 5 })
    expect(await readdir(directory)).toHaveLength(1)
  })

  test('are not used where buildah would not see what has changed', async () => {
    const mounted = `FROM scratch\nCOPY base /\nRUN --mount=type=bind,source=page,target=/p read x </p; echo $x >/x\n`
    await built({ dockerfile: mounted })
    expect(await built({ dockerfile: mounted, page: 'b' })).toMatchObject({ reused: 0 })
    const injected = { isInjected: true, arguments: { STAGE: 'one' } }
    await built(injected)
    expect(await built({ ...injected, arguments: { STAGE: 'two' } })).toMatchObject({ reused: 0 })
  })

  test('of other build arguments are others', async () => {
    const told = 'FROM scratch\nCOPY base /\nARG STAGE\nRUN echo "$STAGE" >/stage\n'
    await built({ dockerfile: told, arguments: { STAGE: 'one' } })
    expect(await built({ dockerfile: told, arguments: { STAGE: 'two' } })).toMatchObject({ reused: 2 })
    expect(await built({ dockerfile: told, arguments: { STAGE: 'one' } })).toMatchObject({ reused: 3 })
  })

  test('have no build secret in them', async () => {
    const secret = 'hush-of-the-layers'
    const dockerfileWithSecret = `FROM scratch
COPY base /
RUN --mount=type=secret,id=TOKEN read token </run/secrets/TOKEN; echo "$token"; echo read >/read
`
    const given = { dockerfile: dockerfileWithSecret, secrets: { TOKEN: secret } }
    await built(given)
    expect(spawnSync('grep', ['-rlF', secret, directory], { encoding: 'utf8' }).stdout).toBe('')
    expect(await built({ ...given, secrets: { TOKEN: 'another' } })).toMatchObject({ reused: 2 })
  })

  test('of a build that fails are kept, without what its last step has begun', async () => {
    const failing = `${dockerfile}RUN echo begun >/begun; exit 3\n`
    const one = await begun({ dockerfile: failing })
    await expect(one.build()).rejects.toMatchObject({ error: { metadata: { exitCode: 3 } } })
    await one.putBack()
    const [name = ''] = await readdir(directory)
    expect(spawnSync('find', [join(directory, name), '-name', 'begun'], { encoding: 'utf8' }).stdout).toBe('')
    expect(await built()).toMatchObject({ reused: 5 })
  })

  test('take no more room than they may: those go that were not used for the longest time', async () => {
    await built({ layers: { of: 'first' } })
    const [name = ''] = await readdir(directory)
    const { bytes } = JSON.parse(await readFile(join(directory, name, 'about.json'), 'utf8'))
    layers = await opened(bytes * 2.5)
    await built({ layers: { of: 'second' } })
    await built({ layers: { of: 'first' } })
    await built({ layers: { of: 'third' } })
    expect(await readdir(directory)).toHaveLength(2)
    expect(await built({ layers: { of: 'first' } })).toMatchObject({ reused: 5 })
    expect(await built({ layers: { of: 'second' } })).toMatchObject({ reused: 0 })

    layers = await opened(bytes * 1.5) // one alone has more than its share
    await built({ layers: { of: 'large' } })
    expect(await built({ layers: { of: 'large' } })).toMatchObject({ reused: 0 })
  })

  test('are removed where none are to be kept any more', async () => {
    await built()
    layers = await opened(0)
    expect(layers.off).toContain('SLUICE_RUNNER_LAYERS_MIB')
    expect(existsSync(directory)).toBe(false)
    expect(await built()).toEqual({ steps: 5, reused: 0 })
  })
})
