import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { promisify } from 'node:util'
import { findSystemProgram } from './machine.ts'

/** First IDs of the range of subordinate users and groups in a user namespace of the runner. */
export type IdRange = { users: number; groups: number }

/** Number of IDs in a range. Files of images belong to users up to this ID. */
export const idRangeLength = 65_536

/** Programs that map a range of IDs if the runner is not root. */
const mappers = { uid: 'newuidmap', gid: 'newgidmap' } as const

/** Returns the ID range of the runner's user on this machine, or what is missing for one. */
export async function findIdRange(): Promise<IdRange | { missing: string }> {
  const isRoot = process.getuid?.() === 0
  for (const mapper of isRoot ? [] : Object.values(mappers)) {
    if ((await findSystemProgram(mapper)) === undefined)
      return { missing: `${mapper} is not installed (the package uidmap)` }
  }
  const { username, uid } = currentUser()
  const firstIn = async (file: string) =>
    parseIdRange(await readFile(file, 'utf8').catch(() => ''), [username, String(uid)])
  const [users, groups] = await Promise.all([firstIn('/etc/subuid'), firstIn('/etc/subgid')])
  if (users !== undefined && groups !== undefined) return { users, groups }
  const file = users === undefined ? '/etc/subuid' : '/etc/subgid'
  return { missing: `${file} gives ${username} no range; add the line ${username}:100000:${idRangeLength}` }
}

/** Returns the current user. Falls back to the ID, because a user need not have a name. */
function currentUser(): { username: string; uid: number } {
  try {
    return userInfo()
  } catch {
    const uid = process.getuid?.() ?? 0
    return { username: String(uid), uid }
  }
}

/**
 * Returns the first ID of the range that a file such as `/etc/subuid` assigns to one of the names. Its lines are
 * `name:first:count`. Returns undefined if no range is long enough.
 */
export function parseIdRange(text: string, names: readonly string[]): number | undefined {
  return text
    .split('\n')
    .map((line) => line.split(':'))
    .filter(([name = '', first, count]) => names.includes(name) && Number(first) > 0 && Number(count) >= idRangeLength)
    .map(([, first]) => Number(first))[0]
}

/**
 * Maps IDs into the user namespace of a process: its owner `user` becomes root, followed by the range. Must be called
 * from outside, because set-uid programs gain no capabilities inside.
 */
export async function mapIds(pid: number, { users, groups }: IdRange, user: number, group: number): Promise<void> {
  const maps = { uid: [0, user, 1, 1, users, idRangeLength], gid: [0, group, 1, 1, groups, idRangeLength] } as const
  for (const kind of ['uid', 'gid'] as const) {
    const [a, b, c, ...rest] = maps[kind]
    if (process.getuid?.() === 0) await writeFile(`/proc/${pid}/${kind}_map`, `${a} ${b} ${c}\n${rest.join(' ')}\n`)
    else await promisify(execFile)(mappers[kind], [pid, ...maps[kind]].map(String))
  }
}
