import type { ApiErrorKey } from '@sluice/contract'
import type { Logger } from 'pino'
import { ArchiveError } from '../archive/archive.ts'
import { ApiError } from './api-error.ts'

/**
 * Converts a failed read of the archive into a retryable error, so that it is not mistaken for a missing record. The
 * cause names internal addresses and is only logged.
 */
export async function readable<T>(
  { log, apiError, what }: { log: Pick<Logger, 'warn'>; apiError: ApiErrorKey; what: string },
  reading: Promise<T>,
): Promise<T> {
  try {
    return await reading
  } catch (err) {
    if (!(err instanceof ArchiveError)) throw err
    log.warn({ err }, `${what} could not be read from the archive`)
    const message = `${what} is in the archive of the installation, which cannot be read now. It is not lost: ask again.`
    throw new ApiError(apiError, message, {}, { 'retry-after': '10' })
  }
}
