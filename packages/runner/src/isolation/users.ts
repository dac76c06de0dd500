import { readdirSync, readFileSync } from 'node:fs'

/** A range of user IDs. The groups with the same IDs belong to them. */
export type UserRange = { first: number; count: number }

/** The user `nobody` on every Linux. */
const nobody = { first: 65_534, count: 1 }

/**
 * IDs that no system assigns to people, services or containers: "Users, Groups, UIDs and GIDs on systemd systems"
 * (https://systemd.io/UIDS-GIDS/, read 2026-11-29). More than there are concurrent attempts.
 */
const allocatableRange = { first: 1_900_000_000, count: 10_000 }

/**
 * Returns the users that programs of a root runner run as: one per attempt if the runner's user namespace maps enough
 * IDs, as that of a machine does. `maps` are its `uid_map` and `gid_map`.
 */
export const findUsers = (maps: readonly string[]): UserRange => (maps.every(coversRange) ? allocatableRange : nobody)

/** Lines of such a map are `<first inside> <first outside> <count>`. */
const coversRange = (map: string): boolean =>
  map.split('\n').some((line) => {
    const [first = 0, , count = 0] = line.trim().split(/\s+/).map(Number)
    return first <= allocatableRange.first && first + count >= allocatableRange.first + allocatableRange.count
  })

/** Allocates users of a range, each to one holder at a time. */
export class Users {
  readonly #range: UserRange
  readonly #taken = new Set<number>()
  #next = 0

  constructor(range: UserRange) {
    this.#range = range
  }

  /** Returns a user without any process, not even one that an earlier runner started. */
  allocate(): number {
    const { first, count } = this.#range
    if (count === 1) return first
    const running = listProcessUsers()
    for (let tried = 0; tried < count; tried += 1) {
      const user = first + this.#next
      this.#next = (this.#next + 1) % count
      if (this.#taken.has(user) || running.has(user)) continue
      this.#taken.add(user)
      return user
    }
    throw new Error(`each of the ${count} users from ${first} on has running programs`)
  }

  release(user: number): void {
    this.#taken.delete(user)
  }
}

function listProcessUsers(): Set<number> {
  const users = readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      const [, real = '', effective = ''] =
        /^Uid:\s+(\d+)\s+(\d+)/m.exec(readFileSync(`/proc/${name}/status`, 'utf8')) ?? []
      return [Number(real), Number(effective)]
    } catch {
      return [] // the process has exited
    }
  })
  return new Set(users)
}

/** A program of an attempt, identified by its records. */
type AttemptProgram = { attempt: string; records: string }

/** Allocates a user to each attempt until its last program has ended. */
export class AttemptUsers {
  readonly #users: Users
  readonly #allocated = new Map<string, { user: number; programs: Set<string> }>()

  constructor(users: Users) {
    this.#users = users
  }

  allocate({ attempt, records }: AttemptProgram): number {
    const allocated = this.#allocated.get(attempt) ?? { user: this.#users.allocate(), programs: new Set() }
    this.#allocated.set(attempt, allocated)
    allocated.programs.add(records)
    return allocated.user
  }

  release(records: string): void {
    const [attempt, allocated] = [...this.#allocated].find(([, { programs }]) => programs.delete(records)) ?? []
    if (attempt === undefined || !allocated || allocated.programs.size > 0) return
    this.#allocated.delete(attempt)
    this.#users.release(allocated.user)
  }
}
