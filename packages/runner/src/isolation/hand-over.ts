import { lchownSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turnOfOthers } from 'node:timers/promises'

/** So many are given away before others have their turn. */
const mostAtOnce = 50

/**
 * Gives a folder of an attempt, with all that is in it, to the user that programs run as. Only while no program of the
 * attempt runs: nothing in it changes meanwhile, and links are given away themselves, not what they lead to.
 */
export async function handOver(path: string, user: number): Promise<void> {
  // As a rule it is empty: that is done sooner than a thread of the pool is asked to.
  const left = [path]
  for (let done = 1; ; done += 1) {
    const next = left.pop()
    if (next === undefined) return
    const found = lstatSync(next)
    if (found.uid !== user || found.gid !== user) lchownSync(next, user, user)
    if (found.isDirectory()) for (const name of readdirSync(next)) left.push(join(next, name))
    if (done % mostAtOnce === 0) await turnOfOthers()
  }
}
