import { isTaken } from '../db/violations.ts'
import type { Refusal } from './refusal.ts'

/** Makes a change, and throws `refusal` if the change violates that unique index. */
export async function refuseTaken<T>(index: string, refusal: () => Refusal, change: () => Promise<T>): Promise<T> {
  try {
    return await change()
  } catch (error) {
    throw isTaken(error, index) ? refusal() : error
  }
}
