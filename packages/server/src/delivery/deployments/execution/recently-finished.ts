import { LRUCache } from 'lru-cache'

/** Maximum number of finished deployments. Late events and wake-ups arrive soon after the end of a deployment. */
const max = 10_000

/**
 * Cache of which engine call followed up on a finished deployment: started the next one and notified waiting steps. The
 * engine serializes the calls of a deployment and retries each until it succeeds, so that another call has nothing left
 * to do. The cache is empty after a restart, which only repeats the follow-up.
 */
export class FollowUps {
  readonly #calls = new LRUCache<string, string>({ max })

  add(deploymentId: string, engineRunId: string): void {
    this.#calls.set(deploymentId, engineRunId)
  }

  /** Reports whether a call other than this one has followed up. */
  byAnother(deploymentId: string, engineRunId: string): boolean {
    const call = this.#calls.get(deploymentId)
    return call !== undefined && call !== engineRunId
  }
}
