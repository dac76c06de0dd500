import { readdir, readFile, stat, statfs } from 'node:fs/promises'

/** What files take that have no name any more and that processes still have. Bytes. */
export type UnlinkedBytes = {
  disk: number
  memory: number /** Whether a process hides its files. */
  isHidden: boolean
}

/**
 * `TMPFS_MAGIC` of linux/magic.h: such files are memory, also those of `memfd_create`, unless they are in a folder of
 * the attempt, as where a container has those in memory.
 */
const tmpfs = 0x0102_1994

/**
 * Returns what processes have in files that no folder shows: those that were removed while they are open or mapped, and
 * memory that was made as a file. `folders` are those of the attempt, whose disk counts as such.
 */
export async function unlinkedBytesOf(pids: readonly number[], folders: readonly string[]): Promise<UnlinkedBytes> {
  const devices = new Set(
    await Promise.all(
      folders.map((folder) =>
        stat(folder).then(
          ({ dev }) => dev,
          () => undefined,
        ),
      ),
    ),
  )
  const seen = new Set<string>()
  const total: UnlinkedBytes = { disk: 0, memory: 0, isHidden: false }
  const count = (inode: string, kind: 'disk' | 'memory', bytes: number) => {
    if (!seen.has(inode)) total[kind] += bytes
    seen.add(inode)
  }
  for (const pid of pids) {
    const names = await readdir(`/proc/${pid}/fd`).catch(async ({ code }: NodeJS.ErrnoException) => {
      total.isHidden ||= code === 'EACCES' && (await isOwnInside(pid))
      return []
    })
    for (const name of names) {
      const file = `/proc/${pid}/fd/${name}`
      const found = await stat(file).catch(() => undefined) // it was open a moment ago
      if (!found?.isFile() || found.nlink > 0) continue
      const { type } = await statfs(file).catch(() => ({ type: 0 }))
      const isMemory = type === tmpfs && !devices.has(found.dev)
      count(String(found.ino), isMemory ? 'memory' : 'disk', found.blocks * 512)
    }
  }
  for (const pid of pids) {
    for (const { inode, end } of unlinkedMappingsIn(await readFile(`/proc/${pid}/maps`, 'utf8').catch(() => ''))) {
      count(inode, 'disk', end)
    }
  }
  return total
}

/**
 * Whether a process is of the runner's own user and in a sandbox, and not the one that leads it there. Such a one hides
 * its files only where it was started from a program that it may not read.
 */
async function isOwnInside(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const [, user] = /^Uid:\s+(\d+)/m.exec(status) ?? []
  const [, ...inside] = /^NSpid:\s+(.*)$/m.exec(status)?.[1]?.split(/\s+/) ?? []
  return Number(user) === process.getuid?.() && inside.length > 0 && inside.at(-1) !== '1'
}

/** A line of `maps`: addresses, rights, place in the file, device, inode, and the name of a file that was removed. */
const mapping = /^([0-9a-f]+)-([0-9a-f]+) \S+ ([0-9a-f]+) \S+ (\d+) +(\/.*) \(deleted\)$/gm

/** Shared memory that is no file of a folder: what of it is in memory counts as memory. */
const isMemoryPath = (path: string): boolean => /^\/(memfd:|SYSV|dev\/zero$|dev\/shm\/|\[)/.test(path)

/** The files that were removed and are mapped, and up to where they are at least. How large they are is not said. */
export function unlinkedMappingsIn(maps: string): { inode: string; end: number }[] {
  return Array.from(maps.matchAll(mapping), ([, from = '', to = '', at = '', inode = '', path = '']) => ({
    inode,
    path,
    end: Number.parseInt(at, 16) + Number.parseInt(to, 16) - Number.parseInt(from, 16),
  }))
    .filter(({ path }) => !isMemoryPath(path))
    .map(({ inode, end }) => ({ inode, end }))
}
