import { Refusal } from '../../platform/http/refusal.ts'

/**
 * Each is a question every two seconds, and the cloud takes no more than five a second of an account in some regions.
 */
const mostAtOnce = 10

/** The logs that organizations follow in this process; several followers of one log count as one. */
export class OpenTails {
  readonly #followers = new Map<string, Map<string, number>>()

  /**
   * Counts a follower in, until the returned function is called.
   * @throws {Refusal} rateLimited
   */
  open(organizationId: string, log: string): () => void {
    const logs = this.#followers.get(organizationId) ?? new Map<string, number>()
    const count = logs.get(log) ?? 0
    if (count === 0 && logs.size >= mostAtOnce) {
      const message = `The organization follows ${mostAtOnce} logs already, which is the most at a time. Stop following one, then try again.`
      throw new Refusal('rateLimited', message, {}, { 'retry-after': '10' })
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
