import type { StepLogChunk } from '@sluice/contract'
import { type LogLine, linesOf } from './log-text.ts'

export type LogState = {
  lines: readonly LogLine[]
  /** `over`: the step is, and all of its log is here. `lost`: the service refused, and nobody asks again. */
  status: 'connecting' | 'following' | 'over' | 'lost'
}

/**
 * The log of a step as it grows. The browser itself connects again when the connection breaks, and says what it has
 * seen last, so that no line is missing and none comes twice.
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

  /** A long log comes in many pieces: the page is drawn once a frame, not once a piece. */
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
