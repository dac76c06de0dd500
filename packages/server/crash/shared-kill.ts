import type { AccountUser } from './parties.ts'
import type { ServiceProcess } from './service-process.ts'

/**
 * Maximum time that a release waits for others, in milliseconds: less than the service's timeout of 10 s for the cloud
 * (`requestTimeout` in src/cloud/adapter/access.ts).
 */
const patienceMs = 5_000

/**
 * One kill of the service for the releases of many parties, each at its own moment. A release that has reached its
 * moment is blocked: its calls do not reach the cloud, and no response reaches the service, until the others are there
 * or over. To the service it is as if it had died at that very moment.
 */
export class SharedKill {
  readonly #service: ServiceProcess
  readonly #onTheirWay: Set<string>
  readonly #there = new Set<string>()
  readonly #killed = Promise.withResolvers<false>()
  #patience: NodeJS.Timeout | undefined
  #isBegun = false
  #isOver = false

  constructor(service: ServiceProcess, parties: readonly AccountUser[]) {
    this.#service = service
    this.#onTheirWay = new Set(parties.map(({ accountNumber }) => accountNumber))
  }

  /** Number of releases that the kill has hit. */
  get hits(): number {
    return this.#there.size
  }

  /** Runs releases concurrently. Resolves with those that were still in progress when the kill came. */
  async during<R extends { party: AccountUser }>(
    releases: readonly R[],
    carryOut: (release: R) => Promise<void>,
  ): Promise<R[]> {
    const carried = releases.map(async (release) => {
      await carryOut(release)
      if (!this.#isBegun) this.#leave(release.party.accountNumber)
    })
    try {
      await Promise.all(carried)
    } finally {
      clearTimeout(this.#patience) // after a failure, no caller could end what would start
    }
    return releases.filter(({ party }) => this.#onTheirWay.has(party.accountNumber))
  }

  /**
   * Reports that the release in the account has reached its moment. Resolves when the service is dead; undefined if the
   * kill is over.
   */
  hit(account: string): Promise<false> | undefined {
    if (this.#isBegun) return this.withheld(account)
    this.#there.add(account)
    this.#patience ??= setTimeout(() => this.#kill(), patienceMs)
    this.#leave(account)
    return this.#killed.promise
  }

  /** Returns a promise that resolves when the service is dead, if the release in the account is blocked. */
  withheld(account: string): Promise<false> | undefined {
    return this.#there.has(account) && !this.#isOver ? this.#killed.promise : undefined
  }

  #leave(account: string): void {
    this.#onTheirWay.delete(account)
    if (this.#onTheirWay.size === 0 && this.#there.size > 0) this.#kill()
  }

  #kill(): void {
    if (this.#isBegun) return
    this.#isBegun = true
    const restart = async () => {
      await this.#service.kill('service')
      this.#isOver = true
      this.#killed.resolve(false)
      this.#service.start()
    }
    restart().catch(this.#killed.reject)
  }
}
