import { type Operation, passes } from './passing.ts'

/** The cloud said no, and would say no again: an unknown cluster, a missing right, a wrong parameter. */
export class CloudRefusal extends Error {
  override readonly name = 'CloudRefusal'
  /** The cloud's own name of the error, such as `ClusterNotFoundException`. */
  readonly reason: string
  constructor(reason: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/** The cloud could not answer now: it throttles, it has a fault, or it cannot be reached. Asking again may help. */
export class CloudTrouble extends Error {
  override readonly name = 'CloudTrouble'
  /** The request is over: it is not on its way to the cloud any more. */
  readonly isAnswered: boolean
  constructor(message: string, { isAnswered = false, ...options }: ErrorOptions & { isAnswered?: boolean } = {}) {
    super(message, options)
    this.isAnswered = isAnswered
  }
}

/** The server itself has nothing to show to the cloud. */
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
 * Asks the cloud, and tells a final no from a passing trouble. Every call of an adapter goes through here; `operation`
 * is named where the table of what passes knows something of it.
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

/** What is read only to be shown: `missed` is told why it could not be read, and nothing fails. */
export async function forShow<T>(read: () => Promise<T>, missed: (reason: string) => void): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof CloudRefusal || error instanceof CloudTrouble)) throw error
    missed(error.message)
    return undefined
  }
}
