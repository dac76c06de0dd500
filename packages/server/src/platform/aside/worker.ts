import { parentPort } from 'node:worker_threads'
import { processorMs } from '../within.ts'
import type { Order, Reply, Work } from './aside.ts'

/** The thread beside the one that answers everybody: imports the work that it is told to do, and does it. */
parentPort?.on('message', async (order: Order) => {
  parentPort?.postMessage(await carriedOut(order))
})

async function carriedOut({ module, input, budgetMs }: Order): Promise<Reply> {
  let startMs = processorMs()
  try {
    const { work }: { work: Work<unknown, unknown> } = await import(module)
    startMs = processorMs() // nobody pays for the first import
    return { result: work(input, budgetMs), spentMs: processorMs() - startMs }
  } catch (error) {
    return { trouble: error instanceof Error ? error.message : String(error), spentMs: processorMs() - startMs }
  }
}
