import { messageBounds, parseBoundedJson } from '@sluice/contract/bounded-json'
/** Error for a feature that needs settings which this server lacks. */
export class GitHostNotConfigured extends Error {
  override name = 'GitHostNotConfigured'
}

/** Error for requests that need the GitHub App on a server without one. */
export const noApp = (): GitHostNotConfigured =>
  new GitHostNotConfigured(
    'This server has no app on the git host. Ask an operator to set up the app: see docs/reference/code-sources.md.',
  )

/** Error for a repository that the host denies or reports as missing, until someone restores access. */
export class GitAccessLost extends Error {
  override name = 'GitAccessLost'
  /** Whether the host rejected the token, so that a new token may work. */
  readonly isTokenRejected: boolean
  /** Whether the host responded "not found" for the repository or for the requested item. */
  readonly isMissing: boolean
  /** Whether the credentials are valid but lack permission for this operation. */
  readonly isForbidden: boolean

  constructor(message: string, { isTokenRejected = false, isMissing = false, isForbidden = false } = {}) {
    super(message)
    this.isTokenRejected = isTokenRejected
    this.isMissing = isMissing
    this.isForbidden = isForbidden
  }
}

/** Error for a branch, tag, commit or path that does not exist in a readable repository. */
export class NotInRepository extends Error {
  override name = 'NotInRepository'
}

/** Transient error of the host. A later request may succeed. */
export class GitHostTransientError extends Error {
  override name = 'GitHostTransientError'
  readonly retryAfterSeconds: number
  /** Whether a rate limit was exceeded. */
  readonly isRateLimit: boolean

  constructor(message: string, { retryAfterSeconds = 30, isRateLimit = false } = {}) {
    super(message)
    this.retryAfterSeconds = retryAfterSeconds
    this.isRateLimit = isRateLimit
  }
}

/** Permanent error: the host rejects the request, and a retry cannot succeed. */
export class GitHostPermanentError extends Error {
  override name = 'GitHostPermanentError'
}

export interface FailedAnswer {
  status: number
  headers: Headers
  text: string
}

/**
 * Converts an error response to an error. One function serves both hosts, whose rate limit headers differ only slightly
 * in name.
 */
export function errorOf(host: string, answer: FailedAnswer, now: Date): Error {
  const { status } = answer
  const message = `${host} says: ${wordsOf(answer)}`
  if (isRateLimit(answer)) {
    const retryAfterSeconds = secondsToWait(answer.headers, now) ?? 60
    return new GitHostTransientError(message, { retryAfterSeconds, isRateLimit: true })
  }
  if (status >= 500) {
    const retryAfterSeconds = secondsToWait(answer.headers, now) ?? 30
    return new GitHostTransientError(`${host} answered ${status}.`, { retryAfterSeconds })
  }
  if ([401, 403, 404, 410, 451].includes(status)) {
    const isForbidden = status === 403
    return new GitAccessLost(message, { isTokenRejected: status === 401, isMissing: status === 404, isForbidden })
  }
  return new GitHostPermanentError(message)
}

/**
 * Reports whether a response is a rate limit. GitHub responds with 403 for both of its limits
 * (docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api), GitLab always with 429.
 */
function isRateLimit({ status, headers, text }: FailedAnswer): boolean {
  if (status === 429) return true
  if (status !== 403) return false
  return headers.has('retry-after') || headers.get('x-ratelimit-remaining') === '0' || /rate limit/i.test(text)
}

/** Maximum wait in seconds: no rate limit window of either host is longer. */
const maxWaitSeconds = 3_600

function secondsToWait(headers: Headers, now: Date): number | undefined {
  const after = headers.get('retry-after')
  const reset = headers.get('x-ratelimit-reset') ?? headers.get('ratelimit-reset') // Unix time in seconds
  const seconds = after === null ? Number(reset ?? Number.NaN) - now.getTime() / 1_000 : Number(after)
  return Number.isFinite(seconds) ? Math.min(Math.max(Math.ceil(seconds), 1), maxWaitSeconds) : undefined
}

const maxMessageLength = 300

/** Returns the host's error message from the body, if any. */
function wordsOf({ status, text }: FailedAnswer): string {
  const body = parsed(text)
  const words = body.error_description ?? body.message ?? body.error
  if (words === undefined) return `status ${status}`
  return (typeof words === 'string' ? words : JSON.stringify(words)).slice(0, maxMessageLength)
}

function parsed(text: string): Record<string, unknown> {
  try {
    return Object(parseBoundedJson(text, messageBounds))
  } catch {
    return {} // not JSON, such as an error page of a proxy
  }
}
