import type { CloudShape } from '../../facts/twin.ts'
import { CloudPermanentError } from '../cloud-call.ts'

/** Reads optional data. If the role may not read it, notes that and returns `otherwise`. */
export type ReadOr = <T>(what: string, otherwise: T, read: () => Promise<T>) => Promise<T>

/** Returns a `ReadOr` that adds what could not be read to the assumptions. */
export const readOrAssume =
  (assumptions: string[]): ReadOr =>
  async (what, otherwise, read) => {
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof CloudPermanentError)) throw error
      assumptions.push(`${what} could not be read (${error.reason}): assumed to be as usual, and healthy.`)
      return otherwise
    }
  }

/** Converts to plain JSON: dates become strings and undefined fields disappear. */
export const plain = (shape: object): CloudShape => JSON.parse(JSON.stringify(shape)) as CloudShape
