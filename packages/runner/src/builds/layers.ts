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
import { type BuildsAs, inOwnMounts, inStore, type Store, storeOf } from './store.ts'

/**
 * Layers that builds of images leave for the next ones of the same kind. Each kind has a folder, which a build moves to
 * its attempt while it uses it, and moves back when it has ended: no two builds use one at a time, and what a kill
 * leaves half done is removed with the attempt.
 */
export type Layers = {
  /** Why none are kept, where that is so. */
  off: string | undefined
  /** Gives the attempt a store, with the layers that are kept for it. Asked again, it answers the same. */
  take(attempt: Attempt, order: ImageBuildOrder): Promise<Lent>
}

export type Lent = {
  store: Store
  /** How long a build took that found no layers, so that it can be said what they save; undefined where none did. */
  secondsWithout: number | undefined
  /**
   * Moves it back, with what the attempt has added. `seconds` is how long a build took that found none. Does not throw:
   * a build is as good without.
   */
  putBack(seconds?: number): Promise<void>
}

/** What is known of a folder, and lies in it. */
type About = { bytes: number; secondsWithout?: number | undefined }

/** So much of all that may be kept may be of one kind; then it begins anew. */
const mostShare = 0.5

/** A store of the attempt's own, which is gone with it. */
const without = (attempt: Attempt): Lent => ({
  store: storeOf(attempt),
  secondsWithout: undefined,
  putBack: async () => {},
})

/** Where none are kept, because of `off`. */
export const noLayers = (off: string): Layers => ({ off, take: async (attempt) => without(attempt) })

export type LayersParts = {
  directory: string
  /** Of all layers together; with 0 none are kept. */
  mostBytes: number
  as: BuildsAs
}

/** Opens what earlier starts of the runner have kept. No other runner uses the directory. */
export async function openLayers({ directory, mostBytes, as }: LayersParts): Promise<Layers> {
  if (mostBytes === 0) {
    await removeFolder(directory)
    return noLayers('SLUICE_RUNNER_LAYERS_MIB is 0')
  }
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const trouble = await whyNoOverlays(directory, as)
  if (trouble !== undefined) return noLayers(trouble)

  return {
    off: undefined,
    async take(attempt, order) {
      const { layers } = order
      if (!layers) return without(attempt)
      const { apart, notes } = attempt.folders
      const [own, wasPutBack] = [join(apart, 'layers'), join(notes, 'layers-put-back')]
      const kept = join(directory, hash('sha256', `${attempt.organizationId} ${layers.of}`, 'hex'))
      if (!existsSync(own) && !existsSync(wasPutBack)) {
        if (layers.isFresh || !(await moved(kept, own))) await mkdir(own, { mode: 0o700 })
      }
      const store: Store = { root: join(own, 'storage'), driver: 'overlay' }
      const { secondsWithout } = (await aboutOf(own)) ?? {}

      async function putBack(seconds = secondsWithout): Promise<void> {
        if (existsSync(wasPutBack)) return
        const bytes = await tidied(attempt, store, as)
        if (bytes > mostBytes * mostShare) throw new Error('they have grown too large')
        const about: About = { bytes, secondsWithout: seconds }
        await writeFile(join(own, 'about.json'), JSON.stringify(about), { mode: 0o600 })
        // First, so that who is killed in between does not move back what others have moved on meanwhile.
        await writeFile(wasPutBack, '')
        const now = new Date()
        await utimes(own, now, now)
        await moved(kept, join(apart, 'replaced-layers'))
        await moved(own, kept)
        await evict(apart)
      }
      const putBackOrSay = (seconds?: number): Promise<void> =>
        putBack(seconds).catch((error: Error) =>
          attempt.log(`Layers of this build are not kept, so that the next one begins anew: ${error.message}.`),
        )
      return { store, secondsWithout, putBack: putBackOrSay }
    },
  }

  /** Has those removed with the attempt that were not used for the longest time, where all together are too many. */
  async function evict(apart: string): Promise<void> {
    const all = await Promise.all(
      (await readdir(directory)).map(async (name) => {
        const folder = join(directory, name)
        const [about, found] = await Promise.all([aboutOf(folder), stat(folder).catch(() => undefined)])
        return { name, folder, bytes: about?.bytes ?? Number.POSITIVE_INFINITY, usedAt: found?.mtimeMs ?? 0 }
      }),
    )
    let bytes = 0
    for (const one of all.sort((a, b) => b.usedAt - a.usedAt)) {
      bytes += one.bytes
      if (bytes > mostBytes) await moved(one.folder, join(apart, `evicted-${one.name}`))
    }
  }
}

/** Whether there was something to move. All is below the runner's directory, so that it is one move or none. */
async function moved(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

/** Undefined where nothing is known, as of what was never put back. */
async function aboutOf(folder: string): Promise<About | undefined> {
  const found = await readResult(folder, 'about.json', 4_096)
  if (!found || !('content' in found)) return undefined
  try {
    return JSON.parse(found.content.toString())
  } catch {
    return undefined // the machine went down before all of it was on the disk
  }
}

/** What a build that failed has begun is in no layer. */
const tidy = `set -e
root=$1; shift
buildah "$@" rm --all >/dev/null
du -sk -- "$root"`

/** Removes what is of no use for others; how many bytes there are then. */
async function tidied(attempt: Attempt, store: Store, as: BuildsAs): Promise<number> {
  const name = 'layers'
  const options = inStore(store, join(attempt.folders.apart, 'run'))
  const result = await attempt.process(name, {
    argv: [...inOwnMounts(as), '/bin/sh', '-c', tidy, 'sh', store.root, ...options],
    keepsStdout: true,
  })
  const said = await attempt.stdoutOf(name, 4_096)
  const kiB = said && 'content' in said ? Number.parseInt(said.content.toString(), 10) : Number.NaN
  if ('exitCode' in result && result.exitCode === 0 && !Number.isNaN(kiB)) return kiB * 1_024
  throw new Error('buildah could not open them again')
}

/** Makes a container on an overlay, writes to it, and removes it. */
const attemptOverlay = `set -e
container=$(buildah "$@" from scratch)
: >"$(buildah "$@" mount "$container")/file"
buildah "$@" rm "$container" >/dev/null`

/** Milliseconds. */
const probeWithinMs = 60_000

/** What keeps builds from having overlays here: a kernel or a file system that has none, or none for this user. */
async function whyNoOverlays(directory: string, as: BuildsAs): Promise<string | undefined> {
  const folder = await mkdtemp(join(directory, 'probe-'))
  const options = inStore({ root: join(folder, 'storage'), driver: 'overlay' }, join(folder, 'run'))
  const [program, ...args] = [...inOwnMounts(as), '/bin/sh', '-c', attemptOverlay, 'sh', ...options]
  try {
    await promisify(execFile)(program as string, args, {
      timeout: probeWithinMs,
      env: { ...process.env, HOME: folder, TMPDIR: folder },
    })
    return undefined
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string }
    return `there are no overlays of file systems here: ${stderr.trim().split('\n').at(-1) || error}`
  } finally {
    await removeFolder(folder)
  }
}
