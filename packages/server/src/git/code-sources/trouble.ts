import { GitAccessLost, GitHostNotConfigured, GitHostRefusal, GitHostTrouble } from '../adapter/errors.ts'

/** Why a host was not told something. */
export interface Trouble {
  message: string
  /** When it may be tried again; undefined where that changes nothing. */
  afterMs: number | undefined
}

/** Tells a host something; what kept us from it, if the host did. */
export async function troubleWith(tell: () => Promise<void>): Promise<Trouble | undefined> {
  try {
    await tell()
    return undefined
  } catch (error) {
    if (error instanceof GitHostTrouble) return { message: error.message, afterMs: error.retryAfterSeconds * 1_000 }
    const isRefused = [GitAccessLost, GitHostRefusal, GitHostNotConfigured].some((kind) => error instanceof kind)
    if (isRefused && error instanceof Error) return { message: error.message, afterMs: undefined }
    throw error
  }
}
