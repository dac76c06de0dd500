import { createHash } from 'node:crypto'
import { lstatSync, readlinkSync, symlinkSync, unlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Maximum length of a temporary folder's path. Linux limits the address of a socket to 107 bytes, macOS to 103. Plugins
 * of Terraform listen at `<TMPDIR>/plugin<10 digits>` and exit silently if that is too long.
 */
const maxPathBytes = 103 - '/plugin0123456789/'.length

/**
 * Returns a path of the folder in which programs can listen on sockets. If its own path is too long, creates a link
 * whose name is derived from the program's records.
 */
export function createShortPath(folder: string, records: string): string {
  if (Buffer.byteLength(folder) <= maxPathBytes) return folder
  const link = linkPath(records)
  try {
    symlinkSync(folder, link) // synchronous: faster than the thread pool
    return link
  } catch {
    return isOwnLink(link, folder) ? link : folder
  }
}

/** Removes the link if there is one. */
export function removeShortPath(records: string): void {
  const link = linkPath(records)
  const found = lstatSync(link, { throwIfNoEntry: false }) // usually there is none
  if (!found || found.uid !== process.getuid?.()) return
  try {
    unlinkSync(link)
  } catch {} // already removed
}

const linkPath = (records: string): string =>
  join(tmpdir(), `sluice-${createHash('sha256').update(records).digest('hex').slice(0, 16)}`)

/**
 * Returns whether an earlier runner created the link. Other users can create links in the folder, which are not
 * trusted.
 */
function isOwnLink(link: string, folder: string): boolean {
  try {
    return lstatSync(link).uid === process.getuid?.() && readlinkSync(link) === folder
  } catch {
    return false
  }
}
