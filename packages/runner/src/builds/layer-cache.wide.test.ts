import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { ImageBuildOrder, OrderedLayers } from '@sluice/contract/runner-protocol'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Attempt } from '../attempt.ts'
import { createAttempt } from '../programs/attempt.fixture.ts'
import { buildImage } from './image.ts'
import { findLayerCacheProblem } from './layer-cache.fixture.ts'
import { type LayerCache, openLayerCache } from './layer-cache.ts'

const gibibyte = 1024 ** 3

const missing = process.getuid?.() === 0 ? await findLayerCacheProblem() : 'root'

describe.skipIf(missing)(`cached image layers${missing ? ` [skipped: ${missing}]` : ''}`, () => {
  let root: string
  /** The files of a base image with a shell. */
  let base: string
  let directory: string
  let layers: LayerCache
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
  const opened = (maxBytes = gibibyte) => openLayerCache({ directory, maxBytes, as: 'root' })

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

  /** Starts an attempt that has acquired layers and has not released them. */
  async function begun({ layers: named, organizationId = 'org_1', dockerfile: text, page = 'a', ...more }: Given) {
    attempts += 1
    const own = await createAttempt(join(root, `attempt-${attempts}`))
    await cp(base, join(own.directory, 'base'), { recursive: true })
    await writeFile(join(own.directory, 'page'), `${page}\n`)
    await writeFile(join(own.directory, 'Dockerfile'), text ?? dockerfile)
    const { signal } = new AbortController()
    const attempt = { ...own, organizationId, signal } as unknown as Attempt
    const order: ImageBuildOrder = {
      kind: 'build',
      publishedAs: 'image',
      source: { basePath: '.', files: {} },
      context: '.',
      isInjected: false,
      arguments: {},
      secrets: {},
      ...more,
      dockerfile: 'Dockerfile',
      layers: { of: 'web', isFresh: false, ...named },
    }
    const lent = await layers.acquire(attempt, order)
    const build = () => buildImage(attempt, order, { cwd: own.directory, as: 'root', store: lent.store })
    return { ...lent, attempt, order, build }
  }

  async function built(given: Given = {}): Promise<{ steps: number; reused: number }> {
    const { build, release } = await begun(given)
    const { steps, reused } = await build()
    await release(10)
    return { steps, reused }
  }

  test('are reused up to the first changed instruction', async () => {
    expect(layers.disabledReason).toBeUndefined()
    expect(await built()).toEqual({ steps: 5, reused: 0 })
    expect(await built()).toEqual({ steps: 5, reused: 5 })
    expect(await built({ page: 'b' })).toEqual({ steps: 5, reused: 3 })
    layers = await opened() // another start of the runner
    expect(await built({ page: 'b' })).toEqual({ steps: 5, reused: 5 })
  })

  test('are not shared between organizations or cache keys', async () => {
    await built()
    expect(await built({ organizationId: 'org_2' })).toMatchObject({ reused: 0 })
    expect(await built({ layers: { of: 'web branch main' } })).toMatchObject({ reused: 0 })
  })

  test('are used by one build at a time, and a concurrent build runs without them', async () => {
    await built()
    const [first, second] = [await begun({}), await begun({ page: 'b' })]
    expect(await second.build()).toMatchObject({ reused: 0 })
    expect(await first.build()).toMatchObject({ reused: 5 })
    await first.release()
    await second.release()
    expect(await built({ page: 'b' })).toMatchObject({ reused: 5 }) // those of the build that ended last
    expect(await readdir(directory)).toHaveLength(1)
  })

  test('are lost with a killed build, and the next build starts without them', async () => {
    await built()
    const killed = await begun({})
    await killed.build()
    await rm(join(killed.attempt.directory, '..'), { recursive: true })
    expect(await built()).toMatchObject({ reused: 0 })
  })

  test('stay with a resumed attempt and are released once', async () => {
    await built()
    const one = await begun({})
    const again = await layers.acquire(one.attempt, one.order)
    expect(again.store).toEqual(one.store)
    expect(again.uncachedBuildSeconds).toBe(10)
    await one.build()
    await one.release()
    const next = await begun({}) // acquires them
    const last = await layers.acquire(one.attempt, one.order)
    await last.release()
    expect(await readdir(directory)).toEqual([])
    expect(await next.build()).toMatchObject({ reused: 5 })
  })

  test('are not used by a build without cache, which replaces them', async () => {
    await built()
    expect(await built({ layers: { isFresh: true } })).toMatchObject({ reused: 0 })
    expect(await built()).toMatchObject({ reused: 5 })
    expect(await readdir(directory)).toHaveLength(1)
  })

  test('are not used if buildah would not detect a change', async () => {
    const mounted = `FROM scratch\nCOPY base /\nRUN --mount=type=bind,source=page,target=/p read x </p; echo $x >/x\n`
    await built({ dockerfile: mounted })
    expect(await built({ dockerfile: mounted, page: 'b' })).toMatchObject({ reused: 0 })
    const injected = { isInjected: true, arguments: { STAGE: 'one' } }
    await built(injected)
    expect(await built({ ...injected, arguments: { STAGE: 'two' } })).toMatchObject({ reused: 0 })
  })

  test('depend on the build arguments', async () => {
    const told = 'FROM scratch\nCOPY base /\nARG STAGE\nRUN echo "$STAGE" >/stage\n'
    await built({ dockerfile: told, arguments: { STAGE: 'one' } })
    expect(await built({ dockerfile: told, arguments: { STAGE: 'two' } })).toMatchObject({ reused: 2 })
    expect(await built({ dockerfile: told, arguments: { STAGE: 'one' } })).toMatchObject({ reused: 3 })
  })

  test('contain no build secrets', async () => {
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

  test('of a failed build are kept without the files of its failed instruction', async () => {
    const failing = `${dockerfile}RUN echo begun >/begun; exit 3\n`
    const one = await begun({ dockerfile: failing })
    await expect(one.build()).rejects.toMatchObject({ error: { metadata: { exitCode: 3 } } })
    await one.release()
    const [name = ''] = await readdir(directory)
    expect(spawnSync('find', [join(directory, name), '-name', 'begun'], { encoding: 'utf8' }).stdout).toBe('')
    expect(await built()).toMatchObject({ reused: 5 })
  })

  test('are evicted above the size limit, the least recently used first', async () => {
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

    layers = await opened(bytes * 1.5) // one entry exceeds its share
    await built({ layers: { of: 'large' } })
    expect(await built({ layers: { of: 'large' } })).toMatchObject({ reused: 0 })
  })

  test('are removed if the cache is disabled', async () => {
    await built()
    layers = await opened(0)
    expect(layers.disabledReason).toContain('SLUICE_RUNNER_LAYERS_MIB')
    expect(existsSync(directory)).toBe(false)
    expect(await built()).toEqual({ steps: 5, reused: 0 })
  })
})
