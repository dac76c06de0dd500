import { CloudTrouble } from '../adapter/answer.ts'

/** An answer of the cloud, and when it was asked for. */
export type Seen<T> = { at: Date; value: T }

type Kept<T> = { begunAt: number; look: Promise<Seen<T>> }

export type LooksPace = {
  /** How long an answer is given again to whoever asks for the same. Milliseconds. */
  freshMs: number
  /** How far apart the looks into one account are at least. Milliseconds. */
  apartMs: number
  /** How long a look waits for its turn at most. Milliseconds. */
  mostWaitMs: number
  /** Milliseconds of a clock that only goes forwards. */
  now: () => number
  wait: (ms: number) => Promise<unknown>
  /** The time that answers are given. */
  clock: () => Date
}

/** There were too many looks into the account, whose rates are for its releases first. */
export class TooManyLooks extends CloudTrouble {
  constructor() {
    super('Many look into this cloud account just now.')
  }
}

/**
 * Looks at what runs, for many who look at once: the same look is shared, and those into one account come one after the
 * other, so that whoever watches leaves the account's rates to its releases.
 */
export class SharedLooks<T> {
  readonly #pace: LooksPace
  readonly #kept = new Map<string, Kept<T>>()
  /** When the next look into an account may begin. */
  readonly #turns = new Map<string, number>()

  constructor(pace: LooksPace) {
    this.#pace = pace
  }

  /** What is at `key`, which is in the account; `look` asks for it. */
  async at(account: string, key: string, look: () => Promise<T>): Promise<Seen<T>> {
    const { freshMs, now } = this.#pace
    const known = this.#kept.get(key)
    if (known && now() - known.begunAt < freshMs) return known.look
    const turn = this.#takeTurn(account)
    if (turn === undefined) {
      // What was seen a while ago, and says so, is better than nothing.
      if (known) return known.look
      throw new TooManyLooks()
    }
    this.#forgetLeft()
    const begun: Kept<T> = { begunAt: now() + turn, look: this.#begin(turn, look) }
    this.#kept.set(key, begun)
    begun.look.catch(() => this.#forgetFailed(key, begun))
    return begun.look
  }

  async #begin(turn: number, look: () => Promise<T>): Promise<Seen<T>> {
    if (turn > 0) await this.#pace.wait(turn)
    return { at: this.#pace.clock(), value: await look() }
  }

  /** How long until it is this look's turn; undefined if that is too long. */
  #takeTurn(account: string): number | undefined {
    const { apartMs, mostWaitMs, now } = this.#pace
    const at = Math.max(now(), this.#turns.get(account) ?? 0)
    if (at - now() > mostWaitMs) return undefined
    this.#turns.set(account, at + apartMs)
    return at - now()
  }

  /** A failure is shared by those who asked meanwhile, and is no answer for later. */
  #forgetFailed(key: string, failed: Kept<T>): void {
    if (this.#kept.get(key) === failed) this.#kept.delete(key)
  }

  /** Of what nobody looks at any more nothing is kept for long. */
  #forgetLeft(): void {
    const { freshMs, now } = this.#pace
    for (const [key, { begunAt }] of this.#kept) if (now() - begunAt > 10 * freshMs) this.#kept.delete(key)
    for (const [account, at] of this.#turns) if (at < now()) this.#turns.delete(account)
  }
}
