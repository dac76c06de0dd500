import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Db } from '../../platform/db/open.ts'
import { Follower } from './follower.ts'
import { parsePosition } from './position.ts'
import { currentPosition, readChanges } from './store.ts'

/** Polling interval of the database in milliseconds, while there are followers. */
const pollMs = 400

/**
 * Distributes changes to followers. A process polls the database once for all of them, and not at all without
 * followers. Unlike LISTEN, polling works with every database and pooler, and with any number of processes.
 */
export class ChangeFeed {
  readonly #db: Db
  readonly #log: Logger
  readonly #followers = new Set<Follower>()
  #isLooking = false

  constructor({ db, log }: { db: Db; log: Logger }) {
    this.#db = db
    this.#log = log
  }

  /** Follows an organization's changes from `lastEventId` on; `leave` ends it. */
  async follow(organizationId: string, lastEventId: unknown): Promise<Follower> {
    const present = await currentPosition(this.#db)
    const follower = new Follower(organizationId, present, parsePosition(lastEventId, present))
    this.#followers.add(follower)
    if (!this.#isLooking) this.#lookWhileFollowed()
    return follower
  }

  leave(follower: Follower): void {
    this.#followers.delete(follower)
  }

  async #lookWhileFollowed(): Promise<void> {
    this.#isLooking = true
    while (this.#followers.size > 0) {
      // Positions do not advance while the database is unavailable, so that nothing is lost.
      await this.#look().catch((error) => this.#log.warn({ err: error }, 'changes could not be read'))
      await sleep(pollMs)
    }
    this.#isLooking = false
  }

  async #look(): Promise<void> {
    const followers = [...this.#followers] // the next poll serves followers that arrive meanwhile
    const since = followers.reduce((least, one) => (one.since < least ? one.since : least), followers[0]?.since ?? 0n)
    const organizationIds = [...new Set(followers.map(({ organizationId }) => organizationId))]
    const { position, noted } = await readChanges(this.#db, since, organizationIds)
    for (const follower of followers) follower.take(noted, position)
  }
}
