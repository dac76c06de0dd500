import { spawn } from 'node:child_process'
import { lstat, readdir, readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { walkFolder } from '../walk-folder.ts'
import type { Limits } from './limits.ts'
import { memoryOf } from './memory.ts'
import { unlinkedBytesOf } from './unlinked-files.ts'

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
/**
 * Folders and open files are looked through: this long after the start or the end of the last time. Milliseconds.
 */
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
  const unlinked = { disk: 0, memory: 0, isHidden: false }
  const lookAtDisk = async () => {
    Object.assign(unlinked, await unlinkedBytesOf(await processesOf(watched), watched.folders))
    if (unlinked.isHidden) return hiddenFiles
    return beyondDisk(limits, watched.folders, unlinked.disk, until)
  }
  try {
    return await Promise.race([
      ended,
      repeat(async () => beyondMemory(limits, await processesOf(watched), unlinked.memory), memoryLookMs, until),
      repeat(lookAtDisk, diskLookMs, until),
    ])
  } finally {
    stopped.abort()
  }
}

const hiddenFiles: WatchedLimit = {
  limit: 'disk',
  message: 'It has a process whose open files cannot be counted: it runs a program that its user may not read.',
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

/** `unlinkedBytes` is memory that was made as a file: where processes share it, it is among what they share. */
async function beyondMemory(
  { memoryBytes }: Limits,
  pids: readonly number[],
  unlinkedBytes: number,
): Promise<WatchedLimit | undefined> {
  const { own, shared } = await memoryOf(pids, memoryBytes - unlinkedBytes)
  const used = own + Math.max(shared, unlinkedBytes)
  if (used <= memoryBytes) return undefined
  return {
    limit: 'memory',
    message: `Its processes have ${miB(used)} MiB of memory; ${miB(memoryBytes)} MiB are allowed.`,
  }
}

/** What a walk could not see. */
type Unseen = { isClosed: boolean; isTooDeep: boolean }

async function beyondDisk(
  { diskBytes, files }: Limits,
  folders: readonly string[],
  unlinkedBytes: number,
  until: AbortSignal,
): Promise<WatchedLimit | undefined> {
  const used = { bytes: 0, files: 0 }
  const unseen: Unseen = { isClosed: false, isTooDeep: false }
  for (const entries of [() => entriesIn(folders, unseen), () => entriesOfRange(folders, until)]) {
    Object.assign(used, { bytes: unlinkedBytes, files: 0 })
    for await (const bytes of entries()) {
      used.bytes += bytes
      used.files += 1
      if (until.aborted) return undefined
      if (used.files > files) return { limit: 'files', message: `It has more than ${files} files and folders.` }
    }
    if (unseen.isTooDeep) return { limit: 'files', message: 'Its folders are nested deeper than a path may be long.' }
    if (used.bytes > diskBytes) {
      return { limit: 'disk', message: `Its files take ${miB(used.bytes)} MiB; ${miB(diskBytes)} MiB are allowed.` }
    }
    if (!unseen.isClosed) return undefined
  }
  return undefined
}

/** What each file and folder takes on the disk. Bytes. */
async function* entriesIn(folders: readonly string[], unseen: Unseen): AsyncGenerator<number> {
  const note = ({ code }: NodeJS.ErrnoException) => {
    unseen.isClosed ||= code === 'EACCES'
    unseen.isTooDeep ||= code === 'ENAMETOOLONG'
  }
  for (const folder of folders) {
    for await (const { path } of walkFolder(folder, note)) {
      const found = await lstat(path).catch(note) // it may have been there a moment ago
      if (found) yield found.blocks * 512
    }
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

const miB = (bytes: number): number => Math.round(bytes / 1024 / 1024)

/** A program's processes: the one that leads it, and all that it has started. */
async function processesOf({ pid }: Watched): Promise<number[]> {
  const leader = await pid()
  const found = leader === undefined ? [] : [leader]
  for (let at = 0; at < found.length; at += 1) found.push(...(await childrenOf(found[at] ?? 0)))
  return found
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
