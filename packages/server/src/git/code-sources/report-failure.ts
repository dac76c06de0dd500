import { GitAccessLost, GitHostNotConfigured, GitHostPermanentError, GitHostTransientError } from '../adapter/errors.ts'

/** Reason why a report to a host failed. */
export interface ReportFailure {
  message: string
  /** Wait before a retry, in milliseconds; undefined if a retry cannot succeed. */
  afterMs: number | undefined
}

/** Runs a report to a host and returns the host's error, if any. Other errors are thrown. */
export async function failureOf(tell: () => Promise<void>): Promise<ReportFailure | undefined> {
  try {
    await tell()
    return undefined
  } catch (error) {
    if (error instanceof GitHostTransientError)
      return { message: error.message, afterMs: error.retryAfterSeconds * 1_000 }
    const isRefused = [GitAccessLost, GitHostPermanentError, GitHostNotConfigured].some((kind) => error instanceof kind)
    if (isRefused && error instanceof Error) return { message: error.message, afterMs: undefined }
    throw error
  }
}
