import type { StepLogChunk } from '@sluice/contract'
import { type LogLine, linesOf } from './log-text.ts'

export type LogState = {
  lines: readonly LogLine[]
  /**
   * `over`: the step ended and its log is complete. `lost`: the server rejected the request, and there are no retries.
   */
  status: 'connecting' | 'following' | 'over' | 'lost'
}

/**
 * Streams the log of a step. The browser reconnects and sends the last event ID, so lines are neither lost nor
 * repeated.
 */
export class LogStream {
  #state: LogState = { lines: [], status: 'connecting' }
  readonly #source: EventSource
  readonly #listeners = new Set<() => void>()
  #arrived: LogLine[] = []
  #frame: number | undefined

  constructor(stepExecutionId: string) {
    this.#source = new EventSource(`/pipeline-step-executions/${encodeURIComponent(stepExecutionId)}/logs/stream`)
    this.#source.addEventListener('open', () => this.#become('following'))
    this.#source.addEventListener('message', ({ data }) => this.#take(JSON.parse(data) as StepLogChunk))
    this.#source.addEventListener('end', () => {
      this.#source.close()
      this.#become('over')
    })
    this.#source.addEventListener('error', () =>
      this.#become(this.#source.readyState === EventSource.CLOSED ? 'lost' : 'connecting'),
    )
  }

  readonly state = (): LogState => this.#state

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  close(): void {
    this.#source.close()
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame)
  }

  /** Notifies once per frame, because a long log arrives in many chunks. */
  #take(chunk: StepLogChunk): void {
    const last = this.#arrived.at(-1) ?? this.#state.lines.at(-1)
    this.#arrived.push(...linesOf(chunk, last?.attempt))
    this.#frame ??= requestAnimationFrame(() => this.#become(this.#state.status))
  }

  #become(status: LogState['status']): void {
    this.#frame = undefined
    const arrived = this.#arrived
    this.#arrived = []
    this.#state = { lines: arrived.length === 0 ? this.#state.lines : [...this.#state.lines, ...arrived], status }
    for (const listener of this.#listeners) listener()
  }
}
