import { messageBounds, parseBoundedJson } from '@sluice/contract/bounded-json'
/** Nobody has set up on this server what it would take. */
export class GitHostNotConfigured extends Error {
  override name = 'GitHostNotConfigured'
}

/** The error of the first host where the server has no app: no installation opens anything then. */
export const noApp = (): GitHostNotConfigured =>
  new GitHostNotConfigured(
    'This server is no app there. Ask an operator to set up the app: see docs/reference/code-sources.md.',
  )

/** The host does not let us at the repository, or says that there is none: somebody has to mend that. */
export class GitAccessLost extends Error {
  override name = 'GitAccessLost'
  /** The token is at fault, so another one may do. */
  readonly isTokenRejected: boolean
  /** It says that there is no such thing: the repository, or only what was asked for in it. */
  readonly isMissing: boolean
  /** It knows us, and that we may not do this one thing: others we may. */
  readonly isForbidden: boolean

  constructor(message: string, { isTokenRejected = false, isMissing = false, isForbidden = false } = {}) {
    super(message)
    this.isTokenRejected = isTokenRejected
    this.isMissing = isMissing
    this.isForbidden = isForbidden
  }
}

/** The repository can be read, and has no such branch, tag, commit or path. */
export class NotInRepository extends Error {
  override name = 'NotInRepository'
}

/** The host cannot answer now; later it may. */
export class GitHostTrouble extends Error {
  override name = 'GitHostTrouble'
  readonly retryAfterSeconds: number
  /** We have asked too often. */
  readonly isRateLimit: boolean

  constructor(message: string, { retryAfterSeconds = 30, isRateLimit = false } = {}) {
    super(message)
    this.retryAfterSeconds = retryAfterSeconds
    this.isRateLimit = isRateLimit
  }
}

/** The host understood and will not do it; asking again changes nothing. */
export class GitHostRefusal extends Error {
  override name = 'GitHostRefusal'
}

/** An answer that is no success. */
export interface FailedAnswer {
  status: number
  headers: Headers
  text: string
}

/** What a failed answer means. Both hosts are read alike: they use the same headers under slightly different names. */
export function errorOf(host: string, answer: FailedAnswer, now: Date): Error {
  const { status } = answer
  const said = `${host} says: ${wordsOf(answer)}`
  if (isRateLimit(answer)) {
    const retryAfterSeconds = secondsToWait(answer.headers, now) ?? 60
    return new GitHostTrouble(said, { retryAfterSeconds, isRateLimit: true })
  }
  if (status >= 500) {
    const retryAfterSeconds = secondsToWait(answer.headers, now) ?? 30
    return new GitHostTrouble(`${host} answered ${status}.`, { retryAfterSeconds })
  }
  if ([401, 403, 404, 410, 451].includes(status)) {
    const isForbidden = status === 403
    return new GitAccessLost(said, { isTokenRejected: status === 401, isMissing: status === 404, isForbidden })
  }
  return new GitHostRefusal(said)
}

/**
 * The first host answers 403 when the hour's requests are used up, and when it finds us too eager
 * (docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api); the second always 429.
 */
function isRateLimit({ status, headers, text }: FailedAnswer): boolean {
  if (status === 429) return true
  if (status !== 403) return false
  return headers.has('retry-after') || headers.get('x-ratelimit-remaining') === '0' || /rate limit/i.test(text)
}

/** At most an hour: neither host counts longer. */
const longestWaitSeconds = 3_600

function secondsToWait(headers: Headers, now: Date): number | undefined {
  const after = headers.get('retry-after')
  const reset = headers.get('x-ratelimit-reset') ?? headers.get('ratelimit-reset') // seconds since 1970
  const seconds = after === null ? Number(reset ?? Number.NaN) - now.getTime() / 1_000 : Number(after)
  return Number.isFinite(seconds) ? Math.min(Math.max(Math.ceil(seconds), 1), longestWaitSeconds) : undefined
}

const longestWords = 300

/** The host's own words, wherever its error body has them. */
function wordsOf({ status, text }: FailedAnswer): string {
  const body = parsed(text)
  const words = body.error_description ?? body.message ?? body.error
  if (words === undefined) return `status ${status}`
  return (typeof words === 'string' ? words : JSON.stringify(words)).slice(0, longestWords)
}

function parsed(text: string): Record<string, unknown> {
  try {
    return Object(parseBoundedJson(text, messageBounds))
  } catch {
    return {} // a proxy's page rather than the host's answer
  }
}
