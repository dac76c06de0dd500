import { lchownSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turnOfOthers } from 'node:timers/promises'
import { type IdRange, rangeLength } from './ids.ts'

/** So many are given away before others have their turn. */
const mostAtOnce = 50

/**
 * Gives a folder of an attempt, with all that is in it, to the user that programs run as; what belongs to a user of
 * the range stays as it is, since it is a file of an image. Only while no program of the attempt runs: nothing in it
 * changes meanwhile, and links are given away themselves, not what they lead to.
 */
export async function handOver(path: string, user: number, range?: IdRange): Promise<void> {
  // As a rule it is empty: that is done sooner than a thread of the pool is asked to.
  const left = [path]
  for (let done = 1; ; done += 1) {
    const next = left.pop()
    if (next === undefined) return
    const found = lstatSync(next)
    const isOfImage = range !== undefined && (isIn(range.users, found.uid) || isIn(range.groups, found.gid))
    if (!isOfImage && (found.uid !== user || found.gid !== user)) lchownSync(next, user, user)
    if (found.isDirectory()) for (const name of readdirSync(next)) left.push(join(next, name))
    if (done % mostAtOnce === 0) await turnOfOthers()
  }
}

const isIn = (first: number, id: number): boolean => id >= first && id < first + rangeLength
