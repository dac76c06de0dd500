import { lstat, mkdtemp, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { EngineAddress } from './address.ts'

/** The engine's own name for itself, and of its directory below the base directory. */
export const nodeName = 'sluice'

export const dataDirectory = (directory: string) => join(directory, 'data')

export const socketIn = (base: string, name: 'ingress' | 'admin' | 'fabric') => join(base, nodeName, `${name}.sock`)

/** The host is only for the header of that name. */
export const addressIn = (base: string, name: 'ingress' | 'admin'): EngineAddress => ({
  url: 'http://engine',
  socketPath: socketIn(base, name),
})

/** The address of a socket has room for 104 bytes on macOS and 108 on Linux, the zero at the end included. */
const longestPath = 103

/**
 * A way to the engine's data that is short enough for the paths of its sockets: the data directory itself, or a link to
 * it in a directory of this user alone, which is written down and found again at the next start.
 */
export async function openShortWay(directory: string): Promise<string> {
  const data = dataDirectory(directory)
  if (Buffer.byteLength(socketIn(data, 'ingress')) <= longestPath) return data
  const known = await readFile(recordIn(directory), 'utf8').catch(() => '')
  if (known !== '' && (await leadsTo(known, data))) return known
  const link = join(await mkdtemp(join(tmpdir(), 'sluice-')), 'engine')
  await symlink(data, link)
  await writeFile(recordIn(directory), link)
  return link
}

/** Removes what `openShortWay` made, if anything. */
export async function closeShortWay(directory: string, base: string): Promise<void> {
  if (base === dataDirectory(directory)) return
  await rm(dirname(base), { recursive: true, force: true })
  await rm(recordIn(directory), { force: true })
}

const recordIn = (directory: string) => join(directory, 'short-way')

/** Whether the link is as we left it, in a directory that nobody else can write to. */
async function leadsTo(link: string, data: string): Promise<boolean> {
  try {
    const parent = await lstat(dirname(link))
    const isPrivate = parent.isDirectory() && (parent.mode & 0o077) === 0 && parent.uid === process.getuid?.()
    return isPrivate && (await readlink(link)) === data
  } catch {
    return false
  }
}
