import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Db } from '../../platform/db/open.ts'
import { Follower } from './follower.ts'
import { positionIn } from './position.ts'
import { presentPosition, readChanges } from './store.ts'

/** How often the database is asked, while somebody follows. */
const lookMs = 400

/**
 * Hands what changes to those who follow. A process asks the database once for all of them, however many they are, and
 * not at all while there are none. Asking works on every database, behind every pooler and with any number of
 * processes, which LISTEN does not.
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

  /** Follows an organization's changes from where `lastEventId` says; `leave` ends it. */
  async follow(organizationId: string, lastEventId: unknown): Promise<Follower> {
    const present = await presentPosition(this.#db)
    const follower = new Follower(organizationId, present, positionIn(lastEventId, present))
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
      // Positions stay where they are until the database answers again: nothing is missed.
      await this.#look().catch((error) => this.#log.warn({ err: error }, 'changes could not be read'))
      await sleep(lookMs)
    }
    this.#isLooking = false
  }

  async #look(): Promise<void> {
    const followers = [...this.#followers] // those who come meanwhile are served by the next look
    const since = followers.reduce((least, one) => (one.since < least ? one.since : least), followers[0]?.since ?? 0n)
    const organizationIds = [...new Set(followers.map(({ organizationId }) => organizationId))]
    const { position, noted } = await readChanges(this.#db, since, organizationIds)
    for (const follower of followers) follower.take(noted, position)
  }
}
