import { EventEmitter, once } from 'node:events'

/** Tells those who wait within this process that the log of a step has grown; other processes find out by looking. */
export class Bell {
  readonly #emitter = new EventEmitter().setMaxListeners(0)

  ring(stepExecutionId: string): void {
    this.#emitter.emit(stepExecutionId)
  }

  /** Waits until it rings, or for so long, or until `signal` is aborted. */
  async heard(stepExecutionId: string, withinMs: number, signal: AbortSignal): Promise<void> {
    const end = AbortSignal.any([signal, AbortSignal.timeout(withinMs)])
    await once(this.#emitter, stepExecutionId, { signal: end }).catch(() => {})
  }
}
