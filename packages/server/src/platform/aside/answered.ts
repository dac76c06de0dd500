import { AsyncLocalStorage } from 'node:async_hooks'
import { Aside, type Reply } from './aside.ts'

/** How much of the processor all that is asked for one request may take beside the main thread. Milliseconds. */
export const budgetMs = 500

/** What is asked may depend on records that change meanwhile; more than a few times they do not. */
const mostRounds = 20

/** What has been answered, by the question. */
type Answers = Map<string, Reply>

const scope = new AsyncLocalStorage<Answers>()
const aside = new Aside()

/** Thrown where something must be asked; whoever began the work has it answered and begins anew. */
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
 * The result of a `Work` in the module, which is done beside the main thread: none may keep everybody waiting. The
 * caller need not wait either, so that it can stand amid pure code and transactions: where the answer is not known yet,
 * it flies to the nearest `answered`.
 */
export function ask<Result>(module: URL, input: unknown): { result: Result } | { trouble: string } {
  const key = `${module.href} ${JSON.stringify(input)}`
  const reply = scope.getStore()?.get(key)
  if (!reply) throw new Unanswered(key, module.href, input)
  return 'trouble' in reply ? { trouble: reply.trouble } : { result: reply.result as Result }
}

/**
 * Does work that may `ask`. It is begun anew with each answer, so it must have no effects before it asked for all it
 * needs, but in a transaction: that is rolled back, and nobody's connection waits for an answer. `whose` asks is the
 * tenant, by whom turns are taken; `isOwn` what the service does by itself.
 */
export async function answered<T>(whose: string, work: () => Promise<T>, { isOwn = false } = {}): Promise<T> {
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
