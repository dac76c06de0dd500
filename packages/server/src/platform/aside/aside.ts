import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/**
 * Work whose cost a tenant decides, such as matching a pattern of theirs. It is to end within `budgetMs` of the
 * processor; `within` sees to that. A module of such work exports it as `work`.
 */
export type Work<Input, Result> = (input: Input, budgetMs: number) => Result

export type Order = { module: string; input: unknown; budgetMs: number }
export type Reply = ({ result: unknown } | { trouble: string }) & { spentMs: number }

/** A thread that ended before it had answered, or was not heard of for this long, is replaced. By the clock. */
const silentMs = 30_000

/** More than a few at once only come of a flood; each waits for those of the same tenant. */
const mostWaiting = 20

type Waiting = { order: Order; resolve: (reply: Reply) => void }

/**
 * Has work done in a thread of its own, one order after the other; the tenants take turns, so that the orders of one
 * wait for each other and hardly for anybody else's. The thread is started when it is first needed, can be ended, and
 * keeps nobody from exiting.
 */
export class Aside {
  readonly #waiting = new Map<string, Waiting[]>()
  #thread: Worker | undefined
  #isBusy = false
  #servedLast = ''

  /** Where `isOwn`, it is the service that asks, once for each record: that is no flood, however many wait. */
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

  /** The first order of whoever waits longest and was not served last. */
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
      // Out of memory, for one.
      return { trouble: error instanceof Error ? error.message : String(error), spentMs: order.budgetMs }
    } finally {
      over.abort()
      thread.unref()
    }
  }

  #start(): Worker {
    const thread = new Worker(new URL('./worker.ts', import.meta.url), {
      // The process lives on where a thread has too little.
      resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 },
      execArgv: [],
    })
    // Whoever waits for it hears of it; without anybody, it would end the process.
    thread.on('error', () => {})
    return thread
  }
}
