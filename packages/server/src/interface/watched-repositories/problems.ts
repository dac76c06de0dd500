import { UsageError } from '@sluice/calls/usage-error'
import { ApiError } from '@sluice/client'
import {
  GitAccessLost,
  GitHostNotConfigured,
  GitHostPermanentError,
  GitHostTransientError,
  NotInRepository,
} from '../../git/adapter/errors.ts'
import { FolderTooLarge } from '../../git/code-sources/files.ts'
import { CannotBeWatched } from './plan.ts'

/** Reason why files could not be read, planned or applied. */
export type SyncProblem = {
  message: string
  /** Minimum delay before a retry in milliseconds; undefined if a user must fix the problem. */
  afterMs: number | undefined
}

/** Errors with a message for users, for which a retry is useless. */
const reportedErrors = [
  ...[CannotBeWatched, FolderTooLarge, NotInRepository, UsageError],
  ...[GitAccessLost, GitHostPermanentError, GitHostNotConfigured],
] as const

/** Converts an error to its reason; undefined for an unexpected error. */
export function problemOf(error: unknown): SyncProblem | undefined {
  if (error instanceof GitHostTransientError)
    return { message: error.message, afterMs: error.retryAfterSeconds * 1_000 }
  if (error instanceof ApiError) {
    const passes = error.status === 429 || error.status >= 500
    return { message: wordsOf(error), afterMs: passes ? (error.retryAfterMs ?? 0) : undefined }
  }
  const known = reportedErrors.some((kind) => error instanceof kind)
  return known && error instanceof Error ? { message: error.message, afterMs: undefined } : undefined
}

function wordsOf({ error: { message, details = [] } }: ApiError): string {
  return [message, ...details.flatMap(({ items = [] }) => items)].join(' ').slice(0, mostLetters)
}

export const mostLetters = 2_000
