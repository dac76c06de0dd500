import type { RefusalKey } from '@sluice/contract'
import type { Logger } from 'pino'
import { ArchiveTrouble } from '../archive/archive.ts'
import { Refusal } from './refusal.ts'

/** What cannot be read now is not absent. Why, names the operator's places: it is for the log alone. */
export async function readable<T>(
  { log, refusal, what }: { log: Pick<Logger, 'warn'>; refusal: RefusalKey; what: string },
  reading: Promise<T>,
): Promise<T> {
  try {
    return await reading
  } catch (err) {
    if (!(err instanceof ArchiveTrouble)) throw err
    log.warn({ err }, `${what} could not be read from the archive`)
    const message = `${what} is in the archive of the installation, which cannot be read now. It is not lost: ask again.`
    throw new Refusal(refusal, message, {}, { 'retry-after': '10' })
  }
}
