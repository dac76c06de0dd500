import { stat } from 'node:fs/promises'
import type { SignedUpload } from '@sluice/contract/runner-protocol'
import { hostAndPort } from '@sluice/outbound/addresses'
import { createOutbound } from '@sluice/outbound/send'

/** How many files are on their way at a time. */
const atOnce = 8
/** For one file. Milliseconds. */
const timeoutMs = 10 * 60_000
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
  // The cloud's address, as the API signed it: it may be inside a private network.
  const sendOutbound = createOutbound([hostAndPort(new URL(url))], { timeoutMs })
  try {
    const body = { file, sizeBytes: (await stat(file)).size }
    const answer = await sendOutbound({ method: 'PUT', url, headers, body, signal })
    const isStored = answer.status >= 200 && answer.status < 300
    return isStored ? undefined : `${path}: ${answer.status} ${answer.body.slice(0, shown)}`
  } catch (error) {
    signal.throwIfAborted()
    return `${path}: ${error instanceof Error ? error.message : error}`
  }
}
