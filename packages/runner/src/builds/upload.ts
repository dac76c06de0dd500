import { openAsBlob } from 'node:fs'
import type { SignedUpload } from '@sluice/contract/runner-protocol'

/** How many files are on their way at a time. */
const atOnce = 8
/** For one file. Milliseconds. */
const withinMs = 10 * 60_000
/** What is shown of a refusal. Characters. */
const shown = 500

/**
 * Sends files as the API has signed for it; answers with why those could not be stored that were not. Their names are
 * made of their content, so that sending one twice changes nothing.
 */
export async function upload(
  uploads: readonly SignedUpload[],
  places: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<string[]> {
  const refused: string[] = []
  const waiting = uploads.values()
  const sender = async () => {
    for (const one of waiting) {
      signal.throwIfAborted()
      const why = await send(one, places.get(one.path), signal)
      if (why !== undefined) refused.push(why)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, sender))
  return refused
}

async function send({ path, url, headers }: SignedUpload, file: string | undefined, signal: AbortSignal) {
  if (file === undefined) throw new Error(`the API asks for ${path}, which was not built`)
  const body = await openAsBlob(file) // its size is known, and sent
  try {
    const within = AbortSignal.any([signal, AbortSignal.timeout(withinMs)])
    const answer = await fetch(url, { method: 'PUT', headers, body, signal: within, redirect: 'error' })
    const said = await answer.text()
    return answer.ok ? undefined : `${path}: ${answer.status} ${said.slice(0, shown)}`
  } catch (error) {
    signal.throwIfAborted()
    return `${path}: ${error instanceof Error ? ((error.cause as Error | undefined)?.message ?? error.message) : error}`
  }
}
