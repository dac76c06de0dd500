import { spawn } from 'node:child_process'
import { lstat, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Limits } from './limits.ts'

/** A program that runs, and what it may write to. */
export type Watched = {
  /** Of the process that leads it, outside of the sandbox; undefined when it is gone. */
  pid: () => Promise<number | undefined>
  folders: readonly string[]
}

/** Which limit a program has gone beyond, as a sentence for people. */
export type WatchedLimit = { limit: 'memory' | 'disk' | 'files'; message: string }

/** Memory fills within a second, and is looked at with a few small reads. The first look is as late. Milliseconds. */
const memoryLookMs = 250
/** Folders are walked: this long after the start or the end of the last walk. Milliseconds. */
const diskLookMs = 2_000

/** Looks at what no limit of a single process can hold: what an attempt has in all. */
export async function watchLimits(
  limits: Limits,
  watched: Watched,
  over: AbortSignal,
): Promise<WatchedLimit | undefined> {
  const { promise: ended, resolve: end } = Promise.withResolvers<undefined>()
  const stopped = new AbortController()
  const until = AbortSignal.any([over, stopped.signal])
  until.addEventListener('abort', () => end(undefined), { once: true })
  if (over.aborted) end(undefined)
  try {
    return await Promise.race([
      ended,
      repeat(async () => beyondMemory(limits, await watched.pid()), memoryLookMs, until),
      repeat(() => beyondDisk(limits, watched.folders, until), diskLookMs, until),
    ])
  } finally {
    stopped.abort()
  }
}

async function repeat(
  look: () => Promise<WatchedLimit | undefined>,
  everyMs: number,
  until: AbortSignal,
): Promise<WatchedLimit | undefined> {
  for (;;) {
    await sleep(everyMs, undefined, { signal: until }).catch(() => {}) // it is over
    if (until.aborted) return undefined
    const found = await look()
    if (found) return found
  }
}

async function beyondMemory({ memoryBytes }: Limits, pid: number | undefined): Promise<WatchedLimit | undefined> {
  if (pid === undefined) return undefined
  const used = await memoryOf(pid)
  if (used <= memoryBytes) return undefined
  return {
    limit: 'memory',
    message: `Its processes have ${miB(used)} MiB of memory; ${miB(memoryBytes)} MiB are allowed.`,
  }
}

async function beyondDisk(
  { diskBytes, files }: Limits,
  folders: readonly string[],
  until: AbortSignal,
): Promise<WatchedLimit | undefined> {
  const used = { bytes: 0, files: 0 }
  const closed = { any: false }
  const own = async function* () {
    for (const folder of folders) yield* entriesIn(folder, closed)
  }
  for (const entries of [own, () => entriesOfRange(folders, until)]) {
    Object.assign(used, { bytes: 0, files: 0 })
    for await (const bytes of entries()) {
      used.bytes += bytes
      used.files += 1
      if (until.aborted) return undefined
      if (used.files > files) return { limit: 'files', message: `It has more than ${files} files and folders.` }
    }
    if (used.bytes > diskBytes) {
      return { limit: 'disk', message: `Its folders take ${miB(used.bytes)} MiB; ${miB(diskBytes)} MiB are allowed.` }
    }
    if (!closed.any) return undefined
  }
  return undefined
}

/** What each file and folder takes on the disk. Links are not followed; notes whether a folder was closed. Bytes. */
async function* entriesIn(folder: string, closed: { any: boolean }): AsyncGenerator<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    closed.any ||= error.code === 'EACCES'
    return []
  })
  for (const entry of entries) {
    const path = join(folder, entry.name)
    const found = await lstat(path).catch(() => undefined) // it was there a moment ago
    if (found) yield found.blocks * 512
    if (entry.isDirectory()) yield* entriesIn(path, closed)
  }
}

/** The same also of what belongs to users of the range that this one has, which is open in a namespace with it. */
async function* entriesOfRange(folders: readonly string[], until: AbortSignal): AsyncGenerator<number> {
  const argv = ['unshare', 'find', ...folders, '-mindepth', '1', '-printf', '%b\\n']
  const child = spawn('buildah', argv, { stdio: ['ignore', 'pipe', 'ignore'], signal: until })
  child.on('error', () => {}) // it is over, or there is none
  try {
    for await (const blocks of createInterface(child.stdout)) yield Number(blocks) * 512
  } finally {
    child.kill('SIGKILL')
  }
}

const pageBytes = 4096
const miB = (bytes: number): number => Math.round(bytes / 1024 / 1024)

/** What a process and those that it has started have in memory of their own. Bytes. */
async function memoryOf(pid: number): Promise<number> {
  const [statm, children] = await Promise.all([textOf(`/proc/${pid}/statm`), childrenOf(pid)])
  const [, resident = 0, shared = 0] = statm.split(' ').map(Number)
  const below = await Promise.all(children.map(memoryOf))
  return below.reduce((sum, bytes) => sum + bytes, (resident - shared) * pageBytes)
}

/**
 * The processes that one has started. Each thread has children of its own; those whose parent is gone belong to the
 * first process of their sandbox.
 */
export async function childrenOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  const texts = await Promise.all(threads.map((thread) => textOf(`/proc/${pid}/task/${thread}/children`)))
  return texts
    .flatMap((text) => text.split(' '))
    .filter((word) => word !== '')
    .map(Number)
}

/** Empty where the process is gone. */
const textOf = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '')
