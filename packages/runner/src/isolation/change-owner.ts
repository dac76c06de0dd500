import { lchownSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { type IdRange, idRangeLength } from './ids.ts'

/** Number of files to change before the event loop continues. */
const batchSize = 50

/**
 * Changes the owner of a folder of an attempt and its content to the user of programs. Files of the ID range keep their
 * owner, because they belong to images. Call it only while no program of the attempt runs. Does not follow links.
 */
export async function changeOwner(path: string, user: number, range?: IdRange): Promise<void> {
  // Synchronous, because the folder is usually empty: faster than the thread pool.
  const left = [path]
  for (let done = 1; ; done += 1) {
    const next = left.pop()
    if (next === undefined) return
    const found = lstatSync(next)
    const isOfImage = range !== undefined && (isIn(range.users, found.uid) || isIn(range.groups, found.gid))
    if (!isOfImage && (found.uid !== user || found.gid !== user)) lchownSync(next, user, user)
    if (found.isDirectory()) for (const name of readdirSync(next)) left.push(join(next, name))
    if (done % batchSize === 0) await yieldToEventLoop()
  }
}

const isIn = (first: number, id: number): boolean => id >= first && id < first + idRangeLength
