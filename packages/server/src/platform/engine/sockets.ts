import { lstat, mkdtemp, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { EngineAddress } from './address.ts'

/** Engine's node name, also of its directory below the base directory. */
export const nodeName = 'sluice'

export const dataDirectory = (directory: string) => join(directory, 'data')

export const socketIn = (base: string, name: 'ingress' | 'admin' | 'fabric') => join(base, nodeName, `${name}.sock`)

/** The host only appears in the header. */
export const addressIn = (base: string, name: 'ingress' | 'admin'): EngineAddress => ({
  url: 'http://engine',
  socketPath: socketIn(base, name),
})

/** Maximum length of a socket path: 104 bytes on macOS and 108 on Linux, including the final zero. */
const longestPath = 103

/**
 * Returns a path to the engine's data that is short enough for sockets: the directory itself, or a link to it in a
 * private directory, which is recorded for the next start.
 */
export async function openShortSocketPath(directory: string): Promise<string> {
  const data = dataDirectory(directory)
  if (Buffer.byteLength(socketIn(data, 'ingress')) <= longestPath) return data
  const known = await readFile(recordIn(directory), 'utf8').catch(() => '')
  if (known !== '' && (await leadsTo(known, data))) return known
  const link = join(await mkdtemp(join(tmpdir(), 'sluice-')), 'engine')
  await symlink(data, link)
  await writeFile(recordIn(directory), link)
  return link
}

/** Removes the link of `openShortSocketPath`, if any. */
export async function removeShortSocketPath(directory: string, base: string): Promise<void> {
  if (base === dataDirectory(directory)) return
  await rm(dirname(base), { recursive: true, force: true })
  await rm(recordIn(directory), { force: true })
}

const recordIn = (directory: string) => join(directory, 'short-way')

/** Reports whether the link is unchanged, in a directory that no other user can write to. */
async function leadsTo(link: string, data: string): Promise<boolean> {
  try {
    const parent = await lstat(dirname(link))
    const isPrivate = parent.isDirectory() && (parent.mode & 0o077) === 0 && parent.uid === process.getuid?.()
    return isPrivate && (await readlink(link)) === data
  } catch {
    return false
  }
}
