import { stat } from 'node:fs/promises'
import type { SignedUpload } from '@sluice/contract/runner-protocol'
import { hostAndPort } from '@sluice/outbound/addresses'
import { createOutbound } from '@sluice/outbound/send'

/** Maximum number of concurrent uploads. */
const maxConcurrentUploads = 8
/** Timeout for one file. */
const timeoutMs = 10 * 60_000
/** Maximum characters of a response to show. */
const maxShownCharacters = 500

/**
 * Uploads files with presigned requests. Returns the errors of files that could not be stored. Retries are harmless,
 * because the object names are derived from the content.
 */
export async function uploadFiles(
  uploads: readonly SignedUpload[],
  filesByPath: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<string[]> {
  const rejections: string[] = []
  const waiting = uploads.values()
  const sender = async () => {
    for (const one of waiting) {
      signal.throwIfAborted()
      const why = await uploadFile(one, filesByPath.get(one.path), signal)
      if (why !== undefined) rejections.push(why)
    }
  }
  await Promise.all(Array.from({ length: maxConcurrentUploads }, sender))
  return rejections
}

async function uploadFile({ path, url, headers }: SignedUpload, file: string | undefined, signal: AbortSignal) {
  if (file === undefined) throw new Error(`the API requests ${path}, which the build did not create`)
  // The API signed this address. It may be inside a private network.
  const sendOutbound = createOutbound([hostAndPort(new URL(url))], { timeoutMs })
  try {
    const body = { file, sizeBytes: (await stat(file)).size }
    const answer = await sendOutbound({ method: 'PUT', url, headers, body, signal })
    const isStored = answer.status >= 200 && answer.status < 300
    return isStored ? undefined : `${path}: ${answer.status} ${answer.body.slice(0, maxShownCharacters)}`
  } catch (error) {
    signal.throwIfAborted()
    return `${path}: ${error instanceof Error ? error.message : error}`
  }
}
