import { ApiError } from '../../platform/http/api-error.ts'

/**
 * Maximum number of logs that an organization can follow. Each needs a request every two seconds, and some regions
 * allow only five requests per second and account.
 */
const maxTails = 10

/** Counts the logs that organizations follow in this process. Several followers of the same log count as one. */
export class OpenTails {
  readonly #followers = new Map<string, Map<string, number>>()

  /**
   * Adds a follower, until the returned function is called.
   * @throws {ApiError} rateLimited
   */
  open(organizationId: string, log: string): () => void {
    const logs = this.#followers.get(organizationId) ?? new Map<string, number>()
    const count = logs.get(log) ?? 0
    if (count === 0 && logs.size >= maxTails) {
      const message = `The organization follows ${maxTails} logs already, which is the most at a time. Stop following one, then try again.`
      throw new ApiError('rateLimited', message, {}, { 'retry-after': '10' })
    }
    this.#followers.set(organizationId, logs.set(log, count + 1))
    return () => this.#close(organizationId, log)
  }

  #close(organizationId: string, log: string): void {
    const logs = this.#followers.get(organizationId)
    const left = (logs?.get(log) ?? 0) - 1
    if (left > 0) logs?.set(log, left)
    else logs?.delete(log)
    if (logs?.size === 0) this.#followers.delete(organizationId)
  }
}
