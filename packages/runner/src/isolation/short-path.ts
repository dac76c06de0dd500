import { createHash } from 'node:crypto'
import { lstatSync, readlinkSync, symlinkSync, unlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * What fits behind a temporary folder into the address of a socket, of which Linux takes 107 bytes and macOS 103. The
 * plug-ins of Terraform listen at `<TMPDIR>/plugin<10 digits>`, and end without a word where that is too long.
 */
const longestBytes = 103 - '/plugin0123456789/'.length

/**
 * A path of the folder under which programs can listen on sockets: a link with a short name, where its own is too long.
 * The link's name follows from the program's records.
 */
export function shortPathOf(folder: string, records: string): string {
  if (Buffer.byteLength(folder) <= longestBytes) return folder
  const link = linkOf(records)
  try {
    symlinkSync(folder, link) // sooner than a thread of the pool would be asked to
    return link
  } catch {
    return isOurs(link, folder) ? link : folder
  }
}

/** Takes the link away again, if there is one. */
export function dropShortPath(records: string): void {
  const link = linkOf(records)
  const found = lstatSync(link, { throwIfNoEntry: false }) // as a rule there is none
  if (!found || found.uid !== process.getuid?.()) return
  try {
    unlinkSync(link)
  } catch {} // it is gone by now
}

const linkOf = (records: string): string =>
  join(tmpdir(), `sluice-${createHash('sha256').update(records).digest('hex').slice(0, 16)}`)

/** An earlier runner's. Others may write where temporary files are, and must not say where a program's go. */
function isOurs(link: string, folder: string): boolean {
  try {
    return lstatSync(link).uid === process.getuid?.() && readlinkSync(link) === folder
  } catch {
    return false
  }
}
