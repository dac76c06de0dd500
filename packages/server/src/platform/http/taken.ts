import { isTaken } from '../db/violations.ts'
import type { ApiError } from './api-error.ts'

/** Makes a change, and throws `refusal` if the change violates that unique index. */
export async function rejectTaken<T>(index: string, apiError: () => ApiError, change: () => Promise<T>): Promise<T> {
  try {
    return await change()
  } catch (error) {
    throw isTaken(error, index) ? apiError() : error
  }
}
