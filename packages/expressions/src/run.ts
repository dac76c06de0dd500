import { Problem } from './errors.ts'
import { maxDepth } from './tree.ts'

/** What one rendering may cost. The largest module definition in use takes about 3,000 steps and 40 KiB. */
const maxSteps = 100_000
const maxResult = 4 * 1024 * 1024
/** All that is built on the way to the result, whether it becomes part of it or not. */
const maxBuilt = 4 * maxResult

/** Characters that are read for the price of a step. */
const readPerStep = 256

/** One rendering: where it is, and what it has cost so far. */
export class Run {
  /** The offset of what is being evaluated, for the problems. */
  at = 0
  /** The path of the text that is being rendered. */
  place = ''
  /** Whether what is being evaluated is made of something sensitive. */
  isSensitive = false
  /** What expressions have made of something sensitive. */
  readonly derived: unknown[] = []
  #steps = 0
  #built = 0
  #result = 0

  /** @throws {Problem} where the rendering is. */
  fail(message: string): never {
    throw new Problem(message, this.at)
  }

  step(count = 1): void {
    this.#steps += count
    if (this.#steps > maxSteps) this.fail(`this takes more than ${maxSteps.toLocaleString('en')} steps`)
  }

  /** A text of this length is read. */
  read(length: number): void {
    this.step(Math.ceil(length / readPerStep))
  }

  /** So many characters, or their like, are about to be built. */
  build(size: number): void {
    this.#built += size
    if (this.#built > maxBuilt) this.fail(`this builds more than ${maxBuilt / 1024 / 1024} MiB`)
  }

  /** `value` becomes part of what is rendered. */
  deliver(value: unknown): void {
    this.#measure(value, 0, (size) => {
      this.#result += size
      if (this.#result > maxResult) this.fail(`the result is larger than ${maxResult / 1024 / 1024} MiB`)
    })
  }

  /** `value` is about to be written as JSON. */
  write(value: unknown): void {
    this.#measure(value, 0, (size) => this.build(size))
  }

  /**
   * Adds up what `value` takes as JSON, roughly. A value may hold the same part many times: it is charged each time.
   */
  #measure(value: unknown, depth: number, charge: (size: number) => void): void {
    if (depth > maxDepth) this.fail(`this value is nested deeper than ${maxDepth} levels`)
    if (typeof value !== 'object' || value === null) {
      charge(typeof value === 'string' ? value.length + 2 : 8)
      if (isForeign(value)) this.fail(`a ${typeof value} is no value of the language`)
      return
    }
    charge(2)
    for (const [key, member] of Object.entries(value)) {
      if (!Array.isArray(value)) charge(key.length + 2)
      this.#measure(member, depth + 1, charge)
    }
  }
}

/** What JSON cannot say. */
const isForeign = (value: unknown): boolean => ['bigint', 'function', 'symbol'].includes(typeof value)
