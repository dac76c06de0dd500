import { parentPort } from 'node:worker_threads'
import { processorMs } from '../within.ts'
import type { Order, Reply, Work } from './aside.ts'

/** Worker thread: imports the requested module and runs its work. */
parentPort?.on('message', async (order: Order) => {
  parentPort?.postMessage(await executeOrder(order))
})

async function executeOrder({ module, input, budgetMs }: Order): Promise<Reply> {
  let startMs = processorMs()
  try {
    const { work }: { work: Work<unknown, unknown> } = await import(module)
    startMs = processorMs() // the first import is not charged to the order
    return { result: work(input, budgetMs), spentMs: processorMs() - startMs }
  } catch (error) {
    return { trouble: error instanceof Error ? error.message : String(error), spentMs: processorMs() - startMs }
  }
}
