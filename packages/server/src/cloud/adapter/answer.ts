import { type Operation, passes } from './passing.ts'

/**
 * Permanent error from the cloud, such as an unknown cluster, a missing permission or an invalid parameter. Retrying
 * cannot help.
 */
export class CloudRefusal extends Error {
  override readonly name = 'CloudRefusal'
  /** Error code of the cloud, such as `ClusterNotFoundException`. */
  readonly reason: string
  constructor(reason: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/** Transient error: the cloud throttles, has a fault or cannot be reached. Retrying may help. */
export class CloudTrouble extends Error {
  override readonly name = 'CloudTrouble'
  /** Whether the cloud responded, so that the request cannot take effect later. */
  readonly isAnswered: boolean
  constructor(message: string, { isAnswered = false, ...options }: ErrorOptions & { isAnswered?: boolean } = {}) {
    super(message, options)
    this.isAnswered = isAnswered
  }
}

/** Error for a server without cloud credentials of its own. */
export class NoCredentials extends CloudTrouble {
  constructor(options: ErrorOptions) {
    super(
      'The server has no credentials of its own for the cloud. Give it some as the SDK takes them: AWS_ACCESS_KEY_ID and ' +
        'AWS_SECRET_ACCESS_KEY, AWS_PROFILE, or the role of the machine or task that it runs on.',
      options,
    )
  }
}

/**
 * Calls the cloud and converts errors to `CloudRefusal` (permanent) or `CloudTrouble` (transient). Every adapter call
 * goes through here. Pass `operation` if the table in passing.ts has special rules for it.
 */
export async function ask<T>(call: () => Promise<T>, operation?: Operation): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw told(error, operation)
  }
}

function told(error: unknown, operation: Operation | undefined): unknown {
  if (!(error instanceof Error)) return error
  if (error instanceof CloudRefusal || error instanceof CloudTrouble) return error
  if (error.name === 'CredentialsProviderError') return new NoCredentials({ cause: error })
  const status = (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode
  const isAnswered = status !== undefined
  const isTrouble = !isAnswered || status >= 500 || status === 429 || passes(operation, error)
  if (isTrouble) return new CloudTrouble(`${error.name}: ${error.message}`, { cause: error, isAnswered })
  return new CloudRefusal(error.name, error.message, { cause: error })
}

/** Runs a read whose result is only displayed: on an error it reports the reason to `missed` and returns undefined. */
export async function forShow<T>(read: () => Promise<T>, missed: (reason: string) => void): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof CloudRefusal || error instanceof CloudTrouble)) throw error
    missed(error.message)
    return undefined
  }
}
