import { Mask } from '@sluice/runner/log/mask'
import { LRUCache } from 'lru-cache'
import type { KnownRun } from '../pipeline-runs/store.ts'
import type { AttemptKey } from '../pipeline-step-executions/present-attempt.ts'
import type { PipelineStepExecutionRow } from '../pipelines/tables.ts'
import type { Ordered } from './order.ts'

/** What this process knows of an attempt that a runner has. */
export type Remembered = {
  /** Hides what must not be seen of it. */
  mask: Mask
  /** Undefined where it could not be found out a second time. */
  ordered: Ordered | undefined
  given: Given | undefined
}

/** What was handed out, as it was then. */
export type Given = KnownRun & { step: PipelineStepExecutionRow }

type ToKeep = { ordered: Ordered | undefined; secrets: Iterable<string>; given?: Given }

/** Attempts beyond this evict the least recently used one, which is looked up again. */
const max = 2_000

/**
 * What an attempt was ordered to do and which texts must not be seen of it: rendered once for its claim, and needed
 * again whenever its runner sends or asks for something. Another process, or a later one, finds it out anew.
 */
export class AttemptMemory {
  readonly #remembered = new LRUCache<string, Remembered>({ max })

  keep(attempt: AttemptKey, { ordered, secrets, given }: ToKeep): Remembered {
    const mask = new Mask()
    for (const secret of secrets) mask.add(secret)
    const remembered = { mask, ordered, given }
    this.#remembered.set(keyOf(attempt), remembered)
    return remembered
  }

  find(attempt: AttemptKey): Remembered | undefined {
    return this.#remembered.get(keyOf(attempt))
  }

  forget(attempt: AttemptKey): void {
    this.#remembered.delete(keyOf(attempt))
  }
}

const keyOf = ({ id, attemptEpoch }: AttemptKey): string => `${id}-${attemptEpoch}`
