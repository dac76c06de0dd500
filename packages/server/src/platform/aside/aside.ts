import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/**
 * Work whose cost a tenant determines, such as matching their pattern. It must end within `budgetMs` of processor time.
 * A module exports it as `work`.
 */
export type Work<Input, Result> = (input: Input, budgetMs: number) => Result

export type Order = { module: string; input: unknown; budgetMs: number }
export type Reply = ({ result: unknown } | { trouble: string }) & { spentMs: number }

/** Time in milliseconds after which a worker thread without a reply is replaced. */
const silentMs = 30_000

/** Maximum number of waiting orders of a tenant. More would be a flood. */
const mostWaiting = 20

type Waiting = { order: Order; resolve: (reply: Reply) => void }

/**
 * Runs orders one by one in a worker thread. Tenants take turns, so that the orders of one hardly delay others. The
 * thread starts on first use and does not keep the process alive.
 */
export class WorkerThreadQueue {
  readonly #waiting = new Map<string, Waiting[]>()
  #thread: Worker | undefined
  #isBusy = false
  #servedLast = ''

  /** Runs an order. With `isOwn`, the service asks once for each record, which is no flood. */
  do(whose: string, order: Order, { isOwn = false } = {}): Promise<Reply> {
    const queue = this.#waiting.get(whose) ?? []
    if (!isOwn && queue.length >= mostWaiting)
      return Promise.resolve({ trouble: 'too much else of yours is checked', spentMs: 0 })
    return new Promise((resolve) => {
      this.#waiting.set(whose, [...queue, { order, resolve }])
      void this.#work()
    })
  }

  async #work(): Promise<void> {
    if (this.#isBusy) return
    this.#isBusy = true
    for (let next = this.#next(); next; next = this.#next()) next.resolve(await this.#carryOut(next.order))
    this.#isBusy = false
  }

  /** Returns the first order of the tenant that was served least recently. */
  #next(): Waiting | undefined {
    const [whose = ''] = [...this.#waiting.keys()].filter((one) => one !== this.#servedLast)
    const turn = this.#waiting.has(whose) ? whose : this.#servedLast
    const [first, ...others] = this.#waiting.get(turn) ?? []
    this.#waiting.delete(turn)
    if (others.length > 0) this.#waiting.set(turn, others)
    this.#servedLast = turn
    return first
  }

  async #carryOut(order: Order): Promise<Reply> {
    this.#thread ??= this.#start()
    const thread = this.#thread
    const over = new AbortController()
    const signal = AbortSignal.any([over.signal, AbortSignal.timeout(silentMs)])
    thread.ref()
    try {
      const ended = once(thread, 'exit', { signal }).then(() => Promise.reject(new Error('it ended too soon')))
      const replied = once(thread, 'message', { signal })
      thread.postMessage(order)
      const [reply] = await Promise.race([replied, ended])
      return reply
    } catch (error) {
      this.#thread = undefined
      void thread.terminate()
      // For example, out of memory.
      return { trouble: error instanceof Error ? error.message : String(error), spentMs: order.budgetMs }
    } finally {
      over.abort()
      thread.unref()
    }
  }

  #start(): Worker {
    const thread = new Worker(new URL('./worker.ts', import.meta.url), {
      // A thread that exceeds them ends without the process.
      resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 },
      execArgv: [],
    })
    // The waiting order receives the error. Without a handler, it would end the process.
    thread.on('error', () => {})
    return thread
  }
}
