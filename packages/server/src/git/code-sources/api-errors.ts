import { ApiError } from '../../platform/http/api-error.ts'
import {
  GitAccessLost,
  GitHostNotConfigured,
  GitHostPermanentError,
  GitHostTransientError,
  NotInRepository,
} from '../adapter/errors.ts'

/** Name and link of what an error is about. */
export interface Subject {
  name: string
  url: string
}

/**
 * Runs work that calls a Git host and converts the host's errors to API errors with a remedy. Other errors pass
 * through.
 */
export async function withApiErrors<T>(subject: Subject, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw apiErrorOf(error, subject) ?? error
  }
}

function apiErrorOf(error: unknown, { name, url }: Subject): ApiError | undefined {
  const action = { label: `Look at ${name}`, url }
  if (error instanceof GitHostNotConfigured) {
    const message = `The git host of ${name} is not set up on this server. ${error.message}`
    return new ApiError('gitHostNotConfigured', message, { action })
  }
  if (error instanceof NotInRepository) {
    return new ApiError('notInRepository', `${name} answered 404 (not found). ${error.message}`, { action })
  }
  if (error instanceof GitAccessLost || error instanceof GitHostPermanentError) {
    const description = 'See whether it is there and whether our access to it is still granted; then try again.'
    return new ApiError('repositoryUnreadable', `${name} cannot be read. ${error.message}`, { description, action })
  }
  if (!(error instanceof GitHostTransientError)) return undefined
  const seconds = error.retryAfterSeconds
  return new ApiError(
    error.isRateLimit ? 'gitHostRateLimited' : 'gitHostUnreachable',
    `${error.message} Try again in ${seconds} s.`,
    {},
    { 'retry-after': String(seconds) },
  )
}
