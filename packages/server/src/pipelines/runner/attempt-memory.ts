import { Mask } from '@sluice/runner/log/mask'
import { LRUCache } from 'lru-cache'
import type { KnownRun } from '../pipeline-runs/store.ts'
import type { AttemptKey } from '../pipeline-step-executions/present-attempt.ts'
import type { PipelineStepExecutionRow } from '../pipelines/tables.ts'
import type { Ordered } from './order.ts'

/** Cached data of an attempt that a runner executes. */
export type CachedAttempt = {
  /** Masks the secrets of the attempt. */
  mask: Mask
  /** Undefined if it could not be determined again. */
  ordered: Ordered | undefined
  given: DispatchedAttempt | undefined
}

/** Data that was dispatched, in its state at that time. */
export type DispatchedAttempt = KnownRun & { step: PipelineStepExecutionRow }

type ToKeep = { ordered: Ordered | undefined; secrets: Iterable<string>; given?: DispatchedAttempt }

/** Maximum number of cached attempts; the least recently used one is evicted and determined again on demand. */
const max = 2_000

/**
 * Cache of the instructions and secrets of attempts. They are rendered for the lease request and needed again for later
 * requests of the runner. Another process determines them again.
 */
export class AttemptMemory {
  readonly #remembered = new LRUCache<string, CachedAttempt>({ max })

  keep(attempt: AttemptKey, { ordered, secrets, given }: ToKeep): CachedAttempt {
    const mask = new Mask()
    for (const secret of secrets) mask.add(secret)
    const remembered = { mask, ordered, given }
    this.#remembered.set(keyOf(attempt), remembered)
    return remembered
  }

  find(attempt: AttemptKey): CachedAttempt | undefined {
    return this.#remembered.get(keyOf(attempt))
  }

  forget(attempt: AttemptKey): void {
    this.#remembered.delete(keyOf(attempt))
  }
}

const keyOf = ({ id, attemptEpoch }: AttemptKey): string => `${id}-${attemptEpoch}`
