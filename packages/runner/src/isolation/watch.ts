import { spawn } from 'node:child_process'
import { lstat, readdir, readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { walkFolder } from '../walk-folder.ts'
import type { Limits } from './limits.ts'
import { measureMemory } from './memory.ts'
import { measureUnlinkedFiles } from './unlinked-files.ts'

/** A running program and the folders that it can write to. */
export type WatchedProgram = {
  /** Returns the ID of its leading process outside of the sandbox; undefined if it has exited. */
  pid: () => Promise<number | undefined>
  folders: readonly string[]
}

/** Limit that a program exceeded, with a message for users. */
export type ExceededLimit = { limit: 'memory' | 'disk' | 'files'; message: string }

/** Interval of the memory checks. Short, because memory fills within a second and a check is cheap. */
const memoryIntervalMs = 250
/** Pause between the checks of folders and open files, which are expensive. */
const diskIntervalMs = 2_000

/**
 * Polls the total usage of an attempt, which no limit of a single process covers. Resolves when a limit is exceeded.
 */
export async function watchLimits(
  limits: Limits,
  watched: WatchedProgram,
  finished: AbortSignal,
): Promise<ExceededLimit | undefined> {
  const { promise: ended, resolve: end } = Promise.withResolvers<undefined>()
  const stopped = new AbortController()
  const until = AbortSignal.any([finished, stopped.signal])
  until.addEventListener('abort', () => end(undefined), { once: true })
  if (finished.aborted) end(undefined)
  const unlinked = { disk: 0, memory: 0, isHidden: false }
  const checkDisk = async () => {
    Object.assign(unlinked, await measureUnlinkedFiles(await listProcesses(watched), watched.folders))
    if (unlinked.isHidden) return hiddenFilesLimit
    return checkFiles(limits, watched.folders, unlinked.disk, until)
  }
  try {
    return await Promise.race([
      ended,
      repeat(async () => checkMemory(limits, await listProcesses(watched), unlinked.memory), memoryIntervalMs, until),
      repeat(checkDisk, diskIntervalMs, until),
    ])
  } finally {
    stopped.abort()
  }
}

const hiddenFilesLimit: ExceededLimit = {
  limit: 'disk',
  message: 'The open files of a process cannot be counted, because its user cannot read the program that it runs.',
}

async function repeat(
  check: () => Promise<ExceededLimit | undefined>,
  intervalMs: number,
  until: AbortSignal,
): Promise<ExceededLimit | undefined> {
  for (;;) {
    await sleep(intervalMs, undefined, { signal: until }).catch(() => {}) // aborted
    if (until.aborted) return undefined
    const found = await check()
    if (found) return found
  }
}

/** `unlinkedBytes` is memory in anonymous files. If processes share it, it is part of their shared memory. */
async function checkMemory(
  { memoryBytes }: Limits,
  pids: readonly number[],
  unlinkedBytes: number,
): Promise<ExceededLimit | undefined> {
  const { own, shared } = await measureMemory(pids, memoryBytes - unlinkedBytes)
  const used = own + Math.max(shared, unlinkedBytes)
  if (used <= memoryBytes) return undefined
  return {
    limit: 'memory',
    message: `Its processes use ${miB(used)} MiB of memory, but the limit is ${miB(memoryBytes)} MiB.`,
  }
}

/** Why a walk was incomplete. */
type WalkProblems = { isClosed: boolean; isTooDeep: boolean }

async function checkFiles(
  { diskBytes, files }: Limits,
  folders: readonly string[],
  unlinkedBytes: number,
  until: AbortSignal,
): Promise<ExceededLimit | undefined> {
  const used = { bytes: 0, files: 0 }
  const unseen: WalkProblems = { isClosed: false, isTooDeep: false }
  for (const entries of [() => measureEntries(folders, unseen), () => measureRangeEntries(folders, until)]) {
    Object.assign(used, { bytes: unlinkedBytes, files: 0 })
    for await (const bytes of entries()) {
      used.bytes += bytes
      used.files += 1
      if (until.aborted) return undefined
      if (used.files > files)
        return { limit: 'files', message: `It has more than ${files} files and folders, the limit.` }
    }
    if (unseen.isTooDeep) return { limit: 'files', message: 'Its folders are nested deeper than the longest path.' }
    if (used.bytes > diskBytes) {
      return {
        limit: 'disk',
        message: `Its files use ${miB(used.bytes)} MiB of disk space, but the limit is ${miB(diskBytes)} MiB.`,
      }
    }
    if (!unseen.isClosed) return undefined
  }
  return undefined
}

/** Yields the disk usage of each file and folder in bytes. */
async function* measureEntries(folders: readonly string[], unseen: WalkProblems): AsyncGenerator<number> {
  const note = ({ code }: NodeJS.ErrnoException) => {
    unseen.isClosed ||= code === 'EACCES'
    unseen.isTooDeep ||= code === 'ENAMETOOLONG'
  }
  for (const folder of folders) {
    for await (const { path } of walkFolder(folder, note)) {
      const found = await lstat(path).catch(note) // removed since it was listed
      if (found) yield found.blocks * 512
    }
  }
}

/** Yields the same in a user namespace with the runner's ID range, which can open files of users in that range. */
async function* measureRangeEntries(folders: readonly string[], until: AbortSignal): AsyncGenerator<number> {
  const argv = ['unshare', 'find', ...folders, '-mindepth', '1', '-printf', '%b\\n']
  const child = spawn('buildah', argv, { stdio: ['ignore', 'pipe', 'ignore'], signal: until })
  child.on('error', () => {}) // aborted, or not installed
  try {
    for await (const blocks of createInterface(child.stdout)) yield Number(blocks) * 512
  } finally {
    child.kill('SIGKILL')
  }
}

const miB = (bytes: number): number => Math.round(bytes / 1024 / 1024)

/** Returns the processes of a program: the leading one and all descendants. */
async function listProcesses({ pid }: WatchedProgram): Promise<number[]> {
  const leader = await pid()
  const found = leader === undefined ? [] : [leader]
  for (let at = 0; at < found.length; at += 1) found.push(...(await listChildren(found[at] ?? 0)))
  return found
}

/**
 * Returns the children of all threads of a process. Orphaned processes become children of the sandbox's first process.
 */
export async function listChildren(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  const texts = await Promise.all(threads.map((thread) => readText(`/proc/${pid}/task/${thread}/children`)))
  return texts
    .flatMap((text) => text.split(' '))
    .filter((word) => word !== '')
    .map(Number)
}

/** Returns an empty string if the process has exited. */
const readText = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '')
