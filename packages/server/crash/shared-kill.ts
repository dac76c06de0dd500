import type { Party } from './parties.ts'
import type { ServiceProcess } from './service-process.ts'

/**
 * So long one release waits for another: less than the service waits for an answer of the cloud, which is 10 s
 * (`requestTimeout` in src/cloud/adapter/access.ts). Milliseconds.
 */
const patienceMs = 5_000

/**
 * One kill of the service for the releases of many parties, each of which it is to hit at a moment of its own. A
 * release that is there is withheld: no call for it reaches the cloud, and no answer the service, until the others are
 * there as well or are over. To the service it is as if it died in that very moment.
 */
export class SharedKill {
  readonly #service: ServiceProcess
  readonly #onTheirWay: Set<string>
  readonly #there = new Set<string>()
  readonly #killed = Promise.withResolvers<false>()
  #patience: NodeJS.Timeout | undefined
  #isBegun = false
  #isOver = false

  constructor(service: ServiceProcess, parties: readonly Party[]) {
    this.#service = service
    this.#onTheirWay = new Set(parties.map(({ accountNumber }) => accountNumber))
  }

  /** How many releases it has hit. */
  get hits(): number {
    return this.#there.size
  }

  /** Carries releases out, all at once; resolves with those that were still on their way when it came. */
  async during<R extends { party: Party }>(
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
      clearTimeout(this.#patience) // where one has failed, nobody is there to end what would start
    }
    return releases.filter(({ party }) => this.#onTheirWay.has(party.accountNumber))
  }

  /** The release in the account is where it is to be hit: resolves when the service is dead. Undefined if too late. */
  hit(account: string): Promise<false> | undefined {
    if (this.#isBegun) return this.withheld(account)
    this.#there.add(account)
    this.#patience ??= setTimeout(() => this.#kill(), patienceMs)
    this.#leave(account)
    return this.#killed.promise
  }

  /** Where the release in the account is withheld, a promise that resolves when the service is dead. */
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
