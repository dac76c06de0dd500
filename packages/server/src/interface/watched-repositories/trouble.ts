import { CalledWrongly } from '@sluice/calls/called-wrongly'
import { ApiError } from '@sluice/client'
import {
  GitAccessLost,
  GitHostNotConfigured,
  GitHostRefusal,
  GitHostTrouble,
  NotInRepository,
} from '../../git/adapter/errors.ts'
import { TooMuchToRead } from '../../git/code-sources/files.ts'
import { CannotBeWatched } from './plan.ts'

/** Why files could not be read, planned or applied. */
export type Trouble = {
  message: string
  /** How soon it may go well, at the soonest; undefined where somebody has to do something first. Milliseconds. */
  afterMs: number | undefined
}

/** Trying again does not help against these; whoever reads what they say can. */
const told = [
  ...[CannotBeWatched, TooMuchToRead, NotInRepository, CalledWrongly],
  ...[GitAccessLost, GitHostRefusal, GitHostNotConfigured],
] as const

/** What an error comes to; undefined of one that nobody foresaw. */
export function troubleOf(error: unknown): Trouble | undefined {
  if (error instanceof GitHostTrouble) return { message: error.message, afterMs: error.retryAfterSeconds * 1_000 }
  if (error instanceof ApiError) {
    const passes = error.status === 429 || error.status >= 500
    return { message: wordsOf(error), afterMs: passes ? (error.retryAfterMs ?? 0) : undefined }
  }
  const known = told.some((kind) => error instanceof kind)
  return known && error instanceof Error ? { message: error.message, afterMs: undefined } : undefined
}

function wordsOf({ error: { message, details = [] } }: ApiError): string {
  return [message, ...details.flatMap(({ items = [] }) => items)].join(' ').slice(0, mostLetters)
}

export const mostLetters = 2_000
