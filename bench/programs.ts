import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Program of benchmark steps. It does nothing, so that only the overhead is measured. */
export const argv = ['true'] as const

export async function runProgram(): Promise<void> {
  const [program, ...args] = argv
  const [code] = await once(spawn(program, args, { stdio: 'ignore' }), 'exit')
  if (code !== 0) throw new Error(`${program} ended with ${code}`)
}

/** Runs work `times` times with the given concurrency. */
export async function runConcurrently(width: number, times: number, work: () => Promise<unknown>): Promise<void> {
  let left = times
  const worker = async () => {
    while (left > 0) {
      left -= 1
      await work()
    }
  }
  await Promise.all(Array.from({ length: width }, worker))
}
