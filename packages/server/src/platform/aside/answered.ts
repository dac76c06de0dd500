import { AsyncLocalStorage } from 'node:async_hooks'
import { type Reply, WorkerThreadQueue } from './aside.ts'

/** Maximum processor time of a request in the worker thread, in milliseconds. */
export const budgetMs = 500

/** Maximum number of repetitions. Questions may depend on records that change meanwhile, but rarely. */
const mostRounds = 20

/** Replies by question. */
type Answers = Map<string, Reply>

const scope = new AsyncLocalStorage<Answers>()
const aside = new WorkerThreadQueue()

/** Thrown when a reply is missing. `answered` gets the reply and repeats the work. */
class Unanswered extends Error {
  override readonly name = 'Unanswered'
  readonly key: string
  readonly module: string
  readonly input: unknown
  constructor(key: string, module: string, input: unknown) {
    super('this is to be done within `answered`, which was forgotten')
    this.key = key
    this.module = module
    this.input = input
  }
}

/**
 * Returns the result of a `Work` module, which runs in the worker thread so that it cannot block other requests. Works
 * without `await`, so that pure code and transactions can call it: if the reply is missing, it throws to the nearest
 * `answered`.
 */
export function getWorkerResult<Result>(module: URL, input: unknown): { result: Result } | { trouble: string } {
  const key = `${module.href} ${JSON.stringify(input)}`
  const reply = scope.getStore()?.get(key)
  if (!reply) throw new Unanswered(key, module.href, input)
  return 'trouble' in reply ? { trouble: reply.trouble } : { result: reply.result as Result }
}

/**
 * Runs work that calls `ask`. The work is repeated after each reply, so it must have no effects before its last
 * question, except in a transaction, which is rolled back. `whose` is the tenant that takes turns; `isOwn` marks work
 * of the service itself.
 */
export async function runWithWorkerResults<T>(
  whose: string,
  work: () => Promise<T>,
  { isOwn = false } = {},
): Promise<T> {
  const answers: Answers = new Map(scope.getStore())
  let leftMs = budgetMs
  for (let round = 0; ; round += 1) {
    try {
      return await (round === 0 ? work() : scope.run(answers, work))
    } catch (error) {
      if (!(error instanceof Unanswered) || round === mostRounds) throw error
      const { key, module, input } = error
      const order = { module, input, budgetMs: Math.max(Math.round(leftMs), 1) }
      const reply = await aside.do(whose, order, { isOwn })
      leftMs -= reply.spentMs
      answers.set(key, reply)
    }
  }
}
