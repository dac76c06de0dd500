import { readdir, readFile, stat, statfs } from 'node:fs/promises'

/** Size in bytes of files that have no name any more but are still open. */
export type UnlinkedBytes = {
  disk: number
  memory: number /** Whether a process hides its files. */
  isHidden: boolean
}

/**
 * `TMPFS_MAGIC` of linux/magic.h. Files on tmpfs count as memory, including those of `memfd_create`, unless the
 * attempt's own folders are on that tmpfs.
 */
const tmpfs = 0x0102_1994

/**
 * Returns the size of files that are in no folder: deleted files that are still open or mapped, and anonymous memory
 * files. Files on the file system of `folders` count as disk.
 */
export async function measureUnlinkedFiles(
  pids: readonly number[],
  folders: readonly string[],
): Promise<UnlinkedBytes> {
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
      total.isHidden ||= code === 'EACCES' && (await isOwnSandboxed(pid))
      return []
    })
    for (const name of names) {
      const file = `/proc/${pid}/fd/${name}`
      const found = await stat(file).catch(() => undefined) // closed since it was listed
      if (!found?.isFile() || found.nlink > 0) continue
      const { type } = await statfs(file).catch(() => ({ type: 0 }))
      const isMemory = type === tmpfs && !devices.has(found.dev)
      count(String(found.ino), isMemory ? 'memory' : 'disk', found.blocks * 512)
    }
  }
  for (const pid of pids) {
    for (const { inode, end } of parseUnlinkedMappings(await readFile(`/proc/${pid}/maps`, 'utf8').catch(() => ''))) {
      count(inode, 'disk', end)
    }
  }
  return total
}

/**
 * Returns whether a process runs in a sandbox as the runner's user and is not the sandbox's first process. Such a
 * process can hide its files only by running a program that its user cannot read.
 */
async function isOwnSandboxed(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const [, user] = /^Uid:\s+(\d+)/m.exec(status) ?? []
  const [, ...inside] = /^NSpid:\s+(.*)$/m.exec(status)?.[1]?.split(/\s+/) ?? []
  return Number(user) === process.getuid?.() && inside.length > 0 && inside.at(-1) !== '1'
}

/** Matches a line of `maps`: addresses, permissions, offset, device, inode, and the path of a removed file. */
const mapping = /^([0-9a-f]+)-([0-9a-f]+) \S+ ([0-9a-f]+) \S+ (\d+) +(\/.*) \(deleted\)$/gm

/** Returns whether a mapping is shared memory without a file, which counts as memory. */
const isMemoryPath = (path: string): boolean => /^\/(memfd:|SYSV|dev\/zero$|dev\/shm\/|\[)/.test(path)

/**
 * Returns removed files that are mapped, with the end of the mapping as a lower bound of their size, which is unknown.
 */
export function parseUnlinkedMappings(maps: string): { inode: string; end: number }[] {
  return Array.from(maps.matchAll(mapping), ([, from = '', to = '', at = '', inode = '', path = '']) => ({
    inode,
    path,
    end: Number.parseInt(at, 16) + Number.parseInt(to, 16) - Number.parseInt(from, 16),
  }))
    .filter(({ path }) => !isMemoryPath(path))
    .map(({ inode, end }) => ({ inode, end }))
}
