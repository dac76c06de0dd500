import { statSync } from 'node:fs'
import { access, constants, readFile, readlink, stat } from 'node:fs/promises'
import { networkInterfaces } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { System } from './bubblewrap.ts'
import type { Etc } from './etc.ts'
import { type Ceilings, ceilingsIn } from './limits.ts'

/** A file that comes with the sandbox. */
export const ownFile = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** Where the tools of the sandbox are looked for: with the system, and not where a PATH leads. */
const places = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin']

/** The path of a program of the system; undefined where it is not installed. */
export async function systemProgram(name: string): Promise<string | undefined> {
  for (const place of places) {
    const file = join(place, name)
    const isThere = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (isThere) return file
  }
  return undefined
}

/** What of this machine's system programs are to see. */
export async function systemOf(bwrap: string, toolFolders: readonly string[], etc: Etc): Promise<System> {
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

/** The hard limits of this process. */
export const ownCeilings = async (): Promise<Ceilings> => ceilingsIn(await readFile('/proc/self/limits', 'utf8'))

/** This machine's addresses but those of its loopback. */
export const ownAddresses = (): string[] =>
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal }) => !internal)
    .map(({ address }) => address)

/**
 * The outermost folder on the way to `path` that others than its owner may not enter; undefined where all may. What
 * lies behind it another user reaches only when it is covered.
 */
export function closedFolderAbove(path: string): string | undefined {
  const above: string[] = []
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) above.unshift(folder)
  return above.find((folder) => !isOpen(folder))
}

/** Asked often, and answered sooner than a thread of the pool is asked to. */
function isOpen(folder: string): boolean {
  try {
    return (statSync(folder).mode & 0o001) !== 0
  } catch {
    return true // it is not there
  }
}
