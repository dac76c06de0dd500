import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { ImageBuildOrder } from '@sluice/contract/runner-protocol'
import type { Attempt } from '../attempt.ts'
import { readResult } from '../isolation/read-result.ts'
import { removeFolder } from '../remove-folder.ts'
import {
  type BuilderType,
  createMountsPrefix,
  createStoreOptions,
  createTemporaryStore,
  type ImageStore,
} from './image-store.ts'

/**
 * Cache of image layers for later builds with the same key. Each key has a folder, which a build moves into its attempt
 * and moves back at its end. So two builds never share one, and a killed build's folder is removed with the attempt.
 */
export type LayerCache = {
  /** Why no layers are cached; undefined if they are. */
  disabledReason: string | undefined
  /** Moves the cached layers into the attempt and returns their store. Idempotent. */
  acquire(attempt: Attempt, order: ImageBuildOrder): Promise<AcquiredLayers>
}

export type AcquiredLayers = {
  store: ImageStore
  /** Duration of the last build without cached layers, to report the time saved; undefined if unknown. */
  uncachedBuildSeconds: number | undefined
  /**
   * Moves the layers back with what the attempt added. `seconds` is the duration of a build without cached layers. Does
   * not throw, because the build does not depend on it.
   */
  release(seconds?: number): Promise<void>
}

/** Metadata of a folder, stored in it as about.json. */
type LayersMetadata = { bytes: number; secondsWithout?: number | undefined }

/** Largest share of the cache for one folder. A larger one is discarded. */
const maxShare = 0.5

/** Returns a store that is removed with the attempt. */
const withoutCache = (attempt: Attempt): AcquiredLayers => ({
  store: createTemporaryStore(attempt),
  uncachedBuildSeconds: undefined,
  release: async () => {},
})

/** Creates a cache that keeps nothing, for the given reason. */
export const createDisabledLayerCache = (disabledReason: string): LayerCache => ({
  disabledReason,
  acquire: async (attempt) => withoutCache(attempt),
})

export type LayerCacheOptions = {
  directory: string
  /** Size limit of the cache; 0 disables it. */
  maxBytes: number
  as: BuilderType
}

/** Opens the cache that earlier starts of the runner have left. No other runner uses the directory. */
export async function openLayerCache({ directory, maxBytes, as }: LayerCacheOptions): Promise<LayerCache> {
  if (maxBytes === 0) {
    await removeFolder(directory)
    return createDisabledLayerCache('SLUICE_RUNNER_LAYERS_MIB is 0')
  }
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const trouble = await findOverlayProblem(directory, as)
  if (trouble !== undefined) return createDisabledLayerCache(trouble)

  return {
    disabledReason: undefined,
    async acquire(attempt, order) {
      const { layers } = order
      if (!layers) return withoutCache(attempt)
      const { internal, checkpoints } = attempt.folders
      const [own, wasPutBack] = [join(internal, 'layers'), join(checkpoints, 'layers-put-back')]
      const kept = join(directory, hash('sha256', `${attempt.organizationId} ${layers.of}`, 'hex'))
      if (!existsSync(own) && !existsSync(wasPutBack)) {
        if (layers.isFresh || !(await moveIfExists(kept, own))) await mkdir(own, { mode: 0o700 })
      }
      const store: ImageStore = { root: join(own, 'storage'), driver: 'overlay' }
      const { secondsWithout: uncachedBuildSeconds } = (await readMetadata(own)) ?? {}

      async function putBack(seconds = uncachedBuildSeconds): Promise<void> {
        if (existsSync(wasPutBack)) return
        const bytes = await cleanUpStore(attempt, store, as)
        if (bytes > maxBytes * maxShare) throw new Error('they exceed half of the size limit of the cache')
        const about: LayersMetadata = { bytes, secondsWithout: seconds }
        await writeFile(join(own, 'about.json'), JSON.stringify(about), { mode: 0o600 })
        // Before the move, so that a restart does not move back a folder that another build has changed since.
        await writeFile(wasPutBack, '')
        const now = new Date()
        await utimes(own, now, now)
        await moveIfExists(kept, join(internal, 'replaced-layers'))
        await moveIfExists(own, kept)
        await evict(internal)
      }
      const putBackOrSay = (seconds?: number): Promise<void> =>
        putBack(seconds).catch((error: Error) =>
          attempt.log(`Cannot cache the layers of this build: ${error.message}. The next build starts without them.`),
        )
      return { store, uncachedBuildSeconds, release: putBackOrSay }
    },
  }

  /** Evicts the least recently used folders above the size limit, by moving them into the attempt. */
  async function evict(apart: string): Promise<void> {
    const all = await Promise.all(
      (await readdir(directory)).map(async (name) => {
        const folder = join(directory, name)
        const [about, found] = await Promise.all([readMetadata(folder), stat(folder).catch(() => undefined)])
        return { name, folder, bytes: about?.bytes ?? Number.POSITIVE_INFINITY, usedAt: found?.mtimeMs ?? 0 }
      }),
    )
    let bytes = 0
    for (const one of all.sort((a, b) => b.usedAt - a.usedAt)) {
      bytes += one.bytes
      if (bytes > maxBytes) await moveIfExists(one.folder, join(apart, `evicted-${one.name}`))
    }
  }
}

/** Returns whether `from` existed. Both paths are on one file system, so that the move is atomic. */
async function moveIfExists(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

/** Returns the metadata; undefined if there is none, as in a new folder. */
async function readMetadata(folder: string): Promise<LayersMetadata | undefined> {
  const found = await readResult(folder, 'about.json', 4_096)
  if (!found || !('content' in found)) return undefined
  try {
    return JSON.parse(found.content.toString())
  } catch {
    return undefined // the machine stopped before the file was complete
  }
}

/** Removes the container of a failed build, which is not part of any layer. */
const cleanUpScript = `set -e
root=$1; shift
buildah "$@" rm --all >/dev/null
du -sk -- "$root"`

/** Removes what later builds cannot use. Returns the remaining size in bytes. */
async function cleanUpStore(attempt: Attempt, store: ImageStore, as: BuilderType): Promise<number> {
  const name = 'layers'
  const options = createStoreOptions(store, join(attempt.folders.internal, 'run'))
  const result = await attempt.runProgram(name, {
    argv: [...createMountsPrefix(as), '/bin/sh', '-c', cleanUpScript, 'sh', store.root, ...options],
    capturesStdout: true,
  })
  const said = await attempt.readStdout(name, 4_096)
  const kiB = said && 'content' in said ? Number.parseInt(said.content.toString(), 10) : Number.NaN
  if ('exitCode' in result && result.exitCode === 0 && !Number.isNaN(kiB)) return kiB * 1_024
  throw new Error('buildah cannot open them')
}

/** Mounts a container with the overlay driver, writes to it, and removes it. */
const probeScript = `set -e
container=$(buildah "$@" from scratch)
: >"$(buildah "$@" mount "$container")/file"
buildah "$@" rm "$container" >/dev/null`

/** Timeout of the probe. */
const probeTimeoutMs = 60_000

/** Returns why builds cannot use overlays: missing support of the kernel or file system, or no permission. */
async function findOverlayProblem(directory: string, as: BuilderType): Promise<string | undefined> {
  const folder = await mkdtemp(join(directory, 'probe-'))
  const options = createStoreOptions({ root: join(folder, 'storage'), driver: 'overlay' }, join(folder, 'run'))
  const [program, ...args] = [...createMountsPrefix(as), '/bin/sh', '-c', probeScript, 'sh', ...options]
  try {
    await promisify(execFile)(program as string, args, {
      timeout: probeTimeoutMs,
      env: { ...process.env, HOME: folder, TMPDIR: folder },
    })
    return undefined
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string }
    return `overlay file systems are not available: ${stderr.trim().split('\n').at(-1) || error}`
  } finally {
    await removeFolder(folder)
  }
}
