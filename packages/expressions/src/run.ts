import { Problem } from './errors.ts'
import { maxDepth } from './tree.ts'

/** Maximum cost of one rendering. The largest module definition in use takes about 3,000 steps and 40 KiB. */
const maxSteps = 100_000
const maxResult = 4 * 1024 * 1024
/** Maximum size of everything that is built, even if it does not become part of the result. */
const maxBuilt = 4 * maxResult

/** Characters that can be read for the cost of one step. */
const readPerStep = 256

/** The state of one rendering: its position and its cost so far. */
export class EvaluationState {
  /** Offset of the current expression, for problems. */
  at = 0
  /** Path of the current text. */
  place = ''
  /** Whether the current value was computed from a sensitive member. */
  isSensitive = false
  /** Values that expressions computed from sensitive members. */
  readonly derived: unknown[] = []
  #steps = 0
  #built = 0
  #result = 0

  /** @throws {Problem} at the current offset */
  fail(message: string): never {
    throw new Problem(message, this.at)
  }

  step(count = 1): void {
    this.#steps += count
    if (this.#steps > maxSteps) this.fail(`this takes more than ${maxSteps.toLocaleString('en')} steps`)
  }

  /** Charges the cost of reading a text of this length. */
  read(length: number): void {
    this.step(Math.ceil(length / readPerStep))
  }

  /** Charges the cost of building this many characters or elements. */
  build(size: number): void {
    this.#built += size
    if (this.#built > maxBuilt) this.fail(`this builds more than ${maxBuilt / 1024 / 1024} MiB`)
  }

  /** Charges the cost of `value`, which becomes part of the result. */
  deliver(value: unknown): void {
    this.#measure(value, 0, (size) => {
      this.#result += size
      if (this.#result > maxResult) this.fail(`the result is larger than ${maxResult / 1024 / 1024} MiB`)
    })
  }

  /** Charges the cost of writing `value` as JSON. */
  write(value: unknown): void {
    this.#measure(value, 0, (size) => this.build(size))
  }

  /** Returns the approximate JSON size of `value`. A part that occurs several times is counted each time. */
  #measure(value: unknown, depth: number, charge: (size: number) => void): void {
    if (depth > maxDepth) this.fail(`this value is nested deeper than ${maxDepth} levels`)
    if (typeof value !== 'object' || value === null) {
      charge(typeof value === 'string' ? value.length + 2 : 8)
      if (isForeign(value)) this.fail(`a ${typeof value} is not a value of the language`)
      return
    }
    charge(2)
    for (const [key, member] of Object.entries(value)) {
      if (!Array.isArray(value)) charge(key.length + 2)
      this.#measure(member, depth + 1, charge)
    }
  }
}

/** Values that JSON cannot represent. */
const isForeign = (value: unknown): boolean => ['bigint', 'function', 'symbol'].includes(typeof value)
