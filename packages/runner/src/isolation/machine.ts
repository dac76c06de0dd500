import { statSync } from 'node:fs'
import { access, constants, readFile, readlink, stat } from 'node:fs/promises'
import { networkInterfaces } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { SystemPaths } from './bubblewrap.ts'
import type { Etc } from './etc.ts'
import { type HardLimits, parseHardLimits } from './limits.ts'

/** Returns the path of a file that is part of this package. */
export const bundledFile = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** Folders of the sandbox's tools. PATH is ignored for safety. */
const systemFolders = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin']

/** Returns the path of a system program; undefined if it is not installed. */
export async function findSystemProgram(name: string): Promise<string | undefined> {
  for (const place of systemFolders) {
    const file = join(place, name)
    const isThere = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (isThere) return file
  }
  return undefined
}

/** Returns the parts of this machine's system that programs can see. */
export async function findSystemPaths(bwrap: string, toolFolders: readonly string[], etc: Etc): Promise<SystemPaths> {
  const folders = ['/usr']
  const links: Record<string, string> = {}
  for (const path of ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']) {
    const target = await readlink(path).catch(() => undefined)
    if (target !== undefined) links[path] = target
    else if (await isFolder(path)) folders.push(path)
  }
  return { bwrap, folders, links, toolFolders, ...etc }
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )

/** Returns the hard limits of this process. */
export const readHardLimits = async (): Promise<HardLimits> =>
  parseHardLimits(await readFile('/proc/self/limits', 'utf8'))

/** Returns this machine's addresses except loopback. */
export const listMachineAddresses = (): string[] =>
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal }) => !internal)
    .map(({ address }) => address)

/**
 * Returns the outermost parent of `path` that other users cannot enter; undefined if they can enter all. Other users
 * reach `path` only if that folder is hidden.
 */
export function findClosedParent(path: string): string | undefined {
  const above: string[] = []
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) above.unshift(folder)
  return above.find((folder) => !isOpen(folder))
}

/** Synchronous, because it is called often: faster than the thread pool. */
function isOpen(folder: string): boolean {
  try {
    return (statSync(folder).mode & 0o001) !== 0
  } catch {
    return true // does not exist
  }
}
