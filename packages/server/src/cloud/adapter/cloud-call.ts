import { isTransient, type Operation } from './transient-errors.ts'

/**
 * Permanent error from the cloud, such as an unknown cluster, a missing permission or an invalid parameter. Retrying
 * cannot help.
 */
export class CloudPermanentError extends Error {
  override readonly name = 'CloudPermanentError'
  /** Error code of the cloud, such as `ClusterNotFoundException`. */
  readonly reason: string
  constructor(reason: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/** Transient error: the cloud throttles, has a fault or cannot be reached. Retrying may help. */
export class CloudTransientError extends Error {
  override readonly name = 'CloudTransientError'
  /** Whether the cloud responded, so that the request cannot take effect later. */
  readonly isAnswered: boolean
  constructor(message: string, { isAnswered = false, ...options }: ErrorOptions & { isAnswered?: boolean } = {}) {
    super(message, options)
    this.isAnswered = isAnswered
  }
}

/** Error for a server without cloud credentials of its own. */
export class NoCredentials extends CloudTransientError {
  constructor(options: ErrorOptions) {
    super(
      'The server has no cloud credentials. Provide them in a way that the AWS SDK supports: AWS_ACCESS_KEY_ID and ' +
        'AWS_SECRET_ACCESS_KEY, AWS_PROFILE, or the role of the machine or task that it runs on.',
      options,
    )
  }
}

/**
 * Calls the cloud and converts errors to `CloudPermanentError` (permanent) or `CloudTransientError` (transient). Every
 * adapter call goes through here. Pass `operation` if the table in transient-errors.ts has special rules for it.
 */
export async function callCloud<T>(call: () => Promise<T>, operation?: Operation): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw toCloudError(error, operation)
  }
}

function toCloudError(error: unknown, operation: Operation | undefined): unknown {
  if (!(error instanceof Error)) return error
  if (error instanceof CloudPermanentError || error instanceof CloudTransientError) return error
  if (error.name === 'CredentialsProviderError') return new NoCredentials({ cause: error })
  const status = (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode
  const isAnswered = status !== undefined
  const isTrouble = !isAnswered || status >= 500 || status === 429 || isTransient(operation, error)
  if (isTrouble) return new CloudTransientError(`${error.name}: ${error.message}`, { cause: error, isAnswered })
  return new CloudPermanentError(error.name, error.message, { cause: error })
}

/** Runs a read whose result is only displayed: on an error it reports the reason to `missed` and returns undefined. */
export async function readOptional<T>(
  read: () => Promise<T>,
  missed: (reason: string) => void,
): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof CloudPermanentError || error instanceof CloudTransientError)) throw error
    missed(error.message)
    return undefined
  }
}
