import { isTaken } from '../db/violations.ts'
import type { Refusal } from './refusal.ts'

/** Makes a change; where it fails because a value is taken, by that unique index, it is refused as told. */
export async function refuseTaken<T>(index: string, refusal: () => Refusal, change: () => Promise<T>): Promise<T> {
  try {
    return await change()
  } catch (error) {
    throw isTaken(error, index) ? refusal() : error
  }
}
