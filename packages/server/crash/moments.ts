import { expect } from 'vitest'
import type { Watcher } from './gateway.ts'
import type { AccountUser } from './parties.ts'
import { Random, suiteSeed } from './random.ts'
import type { ServiceProcess } from './service-process.ts'
import { SharedKill } from './shared-kill.ts'

/**
 * Release that each user runs again for every moment at which the service is killed. `moment` is the number of that
 * moment, from 1.
 */
export type Rounds<P extends AccountUser, Prepared> = {
  /** Preparation of a release, which is not observed. */
  prepare?: (party: P, moment: number) => Promise<Prepared>
  release: (party: P, moment: number, prepared: Prepared) => Promise<void>
}

type Release = { fatal: number; seen: number; lastOperation: string }

/** Share of the moments that are tried without `CRASH_MOMENTS=all`. */
const sampledShare = 0.5

/** Yields the moments of kills, counted from 1: a sample that the seed determines, or all. */
function* momentsToTry(): Generator<number, never> {
  const isComplete = process.env.CRASH_MOMENTS === 'all'
  const random = isComplete ? undefined : new Random(suiteSeed())
  for (let moment = 1; ; moment += 1) if (!random || random.chance(sampledShare)) yield moment
}

/**
 * Moments of a release at which the cloud has executed a call and the service does not know yet. An immediately
 * repeated call is no moment, because the service only polls; but each PUT is one.
 */
export class KillAfterCallWatcher implements Watcher {
  #kill: SharedKill | undefined
  readonly #releases = new Map<string, Release>()

  sent(_operation: string, account: string): boolean | Promise<false> {
    return this.#kill?.withheld(account) ?? true
  }

  done(operation: string, account: string): Promise<false> | undefined {
    const release = this.#releases.get(account)
    if (!release) return
    const isAgain = operation === release.lastOperation && !operation.startsWith('PUT ')
    release.lastOperation = operation
    if (!isAgain) release.seen += 1
    return release.seen === release.fatal ? this.#kill?.hit(account) : this.#kill?.withheld(account)
  }

  /**
   * Runs a release for each moment to try, as many concurrently as there are parties, and kills the service when each
   * has reached its moment, until a release has fewer moments. Repeats releases that came too late for the kill.
   * Resolves with the number of moments of such a release.
   */
  async killAtEach<P extends AccountUser, Prepared>(
    service: ServiceProcess,
    parties: readonly P[],
    { prepare, release }: Rounds<P, Prepared>,
  ): Promise<number> {
    const again: number[] = []
    const moments = momentsToTry()
    let [tried, count, isLast] = [0, 0, false]
    while (!isLast || again.length > 0) {
      const prepared = parties.map(async (party) => {
        const moment = again.shift() ?? moments.next().value
        const prepared = (await prepare?.(party, moment)) as Prepared
        return { party, moment, prepared, calls: { fatal: moment, seen: 0, lastOperation: '' } }
      })
      const round = await Promise.all(prepared)
      const kill = new SharedKill(service, parties)
      this.#kill = kill
      for (const { party, calls } of round) this.#releases.set(party.accountNumber, calls)
      const late = await kill.during(round, (one) => release(one.party, one.moment, one.prepared))
      tried += kill.hits
      again.push(...late.map(({ moment }) => moment))
      // A late release was killed at another moment and has repeated calls, so its count is meaningless.
      const ended = round.filter((one) => one.calls.seen < one.calls.fatal && !late.includes(one))
      count = Math.max(count, ...ended.map(({ calls }) => calls.seen))
      if (ended.length > 0) isLast = true
    }
    this.#kill = undefined
    this.#releases.clear()
    console.log(`killed at ${tried} of ${count} moments, ${service.kills} times`)
    return count
  }
}

/** Changes that the cloud never receives, because the service is killed instead. */
export class KillBeforeCallWatcher implements Watcher {
  #kill: SharedKill | undefined
  readonly #fatal = new Map<string, RegExp>()

  sent(operation: string, account: string): boolean | Promise<false> {
    if (!this.#fatal.get(account)?.test(operation)) return this.#kill?.withheld(account) ?? true
    this.#fatal.delete(account)
    return this.#kill?.hit(account) ?? true
  }

  done(_operation: string, account: string): Promise<false> | undefined {
    return this.#kill?.withheld(account)
  }

  /**
   * Runs one release for each of the changes, all concurrently and each in its own organization, and kills the service
   * once instead of that change. Repeats releases that ended before the kill. `nth` counts from 1.
   */
  async killInsteadOfEach<P extends AccountUser>(
    service: ServiceProcess,
    parties: readonly P[],
    changes: readonly RegExp[],
    release: (party: P, change: RegExp, nth: number) => Promise<void>,
  ): Promise<void> {
    expect(parties, 'a party for each change').toHaveLength(changes.length)
    let left = parties.map((party, index) => ({ party, change: changes[index] as RegExp }))
    for (let nth = 1; left.length > 0; nth += 1) {
      const losers = left.map(({ party }) => party)
      const kill = new SharedKill(service, losers)
      this.#kill = kill
      for (const { party, change } of left) this.#fatal.set(party.accountNumber, change)
      const late = await kill.during(left, ({ party, change }) => release(party, change, nth))
      expect(kill.hits, 'changes that were lost').toBe(left.length - late.length)
      left = late
    }
  }
}
