import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { promisify } from 'node:util'
import { systemProgram } from './machine.ts'

/** The first of the ids beside its own that a namespace of the runner has, of users and of groups. */
export type IdRange = { users: number; groups: number }

/** Files of images belong to users up to this one. */
export const rangeLength = 65_536

/** What gives a namespace a range of ids, where the runner is not root. */
const mappers = { uid: 'newuidmap', gid: 'newgidmap' } as const

/** The range of ids that this machine gives to the runner's user; or what is missing for one. */
export async function findRange(): Promise<IdRange | { missing: string }> {
  const isRoot = process.getuid?.() === 0
  for (const mapper of isRoot ? [] : Object.values(mappers)) {
    if ((await systemProgram(mapper)) === undefined)
      return { missing: `${mapper} is not installed (the package uidmap)` }
  }
  const { username, uid } = ownName()
  const firstIn = async (file: string) => rangeIn(await readFile(file, 'utf8').catch(() => ''), [username, String(uid)])
  const [users, groups] = await Promise.all([firstIn('/etc/subuid'), firstIn('/etc/subgid')])
  if (users !== undefined && groups !== undefined) return { users, groups }
  const file = users === undefined ? '/etc/subuid' : '/etc/subgid'
  return { missing: `${file} gives ${username} none, as the line ${username}:100000:${rangeLength} would` }
}

/** A user need not have a name. */
function ownName(): { username: string; uid: number } {
  try {
    return userInfo()
  } catch {
    const uid = process.getuid?.() ?? 0
    return { username: String(uid), uid }
  }
}

/**
 * Where the range begins that a file such as `/etc/subuid` gives to one of these names, by a line of
 * `name:first:count`; undefined where none is long enough.
 */
export function rangeIn(text: string, names: readonly string[]): number | undefined {
  return text
    .split('\n')
    .map((line) => line.split(':'))
    .filter(([name = '', first, count]) => names.includes(name) && Number(first) > 0 && Number(count) >= rangeLength)
    .map(([, first]) => Number(first))[0]
}

/**
 * Gives the user namespace of a process, which has none yet, its ids: `user`, whose it is, is root in it, and the range
 * follows. Whoever runs in it could not, as nothing there gains rights by a set-uid program.
 */
export async function mapIds(pid: number, { users, groups }: IdRange, user: number, group: number): Promise<void> {
  const maps = { uid: [0, user, 1, 1, users, rangeLength], gid: [0, group, 1, 1, groups, rangeLength] } as const
  for (const kind of ['uid', 'gid'] as const) {
    const [a, b, c, ...rest] = maps[kind]
    if (process.getuid?.() === 0) await writeFile(`/proc/${pid}/${kind}_map`, `${a} ${b} ${c}\n${rest.join(' ')}\n`)
    else await promisify(execFile)(mappers[kind], [pid, ...maps[kind]].map(String))
  }
}
