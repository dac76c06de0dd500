import { CloudPermanentError, CloudTransientError } from '../../cloud/adapter/cloud-call.ts'
import { present } from '../../platform/present.ts'

/** Reason why a fact about the cloud is unknown. */
export type Unread = { reason: string; remedy?: string }

/** Fact about the cloud, or why it could not be read. */
export type Fact<T> = { value: T } | { unread: Unread }

/** Timeout of a read in milliseconds. Reads run concurrently, and a user waits for the slowest. */
const readTimeoutMs = 5_000

/**
 * Reads a fact. A missing permission or a timeout is a reason, not an error. `permissions` are those that the read
 * requires.
 */
export async function readFact<T>(
  permissions: string,
  read: () => Promise<T>,
  timeoutMs = readTimeoutMs,
): Promise<Fact<T>> {
  try {
    return { value: await withTimeout(read, timeoutMs) }
  } catch (error) {
    if (error instanceof CloudPermanentError) return { unread: unreadOf(error, permissions) }
    if (error instanceof CloudTransientError) return { unread: { reason: asSentence(error.message) } }
    throw error
  }
}

function unreadOf({ reason, message }: CloudPermanentError, permissions: string): Unread {
  const isDenied = reason.startsWith('AccessDenied') || reason === 'UnauthorizedOperation'
  return present({
    reason: asSentence(message),
    remedy: isDenied ? `Grant the connected role ${permissions}.` : undefined,
  })
}

async function withTimeout<T>(read: () => Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    const message = `The cloud did not answer within ${timeoutMs / 1000} seconds`
    timer = setTimeout(() => reject(new CloudTransientError(message)), timeoutMs)
  })
  try {
    return await Promise.race([read(), timeout])
  } finally {
    clearTimeout(timer)
  }
}

const asSentence = (text: string): string => `${text.trim().replace(/\.$/, '')}.`
