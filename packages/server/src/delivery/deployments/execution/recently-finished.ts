import { LRUCache } from 'lru-cache'

/** Events and wake-ups that were on their way at the end of a deployment come soon after it. */
const max = 10_000

/**
 * Which call of the engine followed up on a deployment that is over: let the next one start, told those that wait. The
 * engine makes the calls about one deployment in turn, each until it has succeeded; so where another call comes, that
 * one succeeded, and there is nothing left to do. After a restart nothing is remembered, and it is followed up again.
 */
export class FollowedUp {
  readonly #calls = new LRUCache<string, string>({ max })

  add(deploymentId: string, engineRunId: string): void {
    this.#calls.set(deploymentId, engineRunId)
  }

  /** Whether a call other than this one did. */
  byAnother(deploymentId: string, engineRunId: string): boolean {
    const call = this.#calls.get(deploymentId)
    return call !== undefined && call !== engineRunId
  }
}
