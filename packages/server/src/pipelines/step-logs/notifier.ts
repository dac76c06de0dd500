import { EventEmitter, once } from 'node:events'

/** Notifies waiting requests of this process about new log chunks; other processes poll. */
export class LogNotifier {
  readonly #emitter = new EventEmitter().setMaxListeners(0)

  ring(stepExecutionId: string): void {
    this.#emitter.emit(stepExecutionId)
  }

  /** Waits for a notification, for the timeout, or until `signal` aborts. */
  async heard(stepExecutionId: string, withinMs: number, signal: AbortSignal): Promise<void> {
    const end = AbortSignal.any([signal, AbortSignal.timeout(withinMs)])
    await once(this.#emitter, stepExecutionId, { signal: end }).catch(() => {})
  }
}
