import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** What steps of benchmarks run: a program that does nothing, so that all that is measured is what is around it. */
export const argv = ['true'] as const

export async function runProgram(): Promise<void> {
  const [program, ...args] = argv
  const [code] = await once(spawn(program, args, { stdio: 'ignore' }), 'exit')
  if (code !== 0) throw new Error(`${program} ended with ${code}`)
}

/** Does the work `times` times, so many at a time. */
export async function abreast(width: number, times: number, work: () => Promise<unknown>): Promise<void> {
  let left = times
  const worker = async () => {
    while (left > 0) {
      left -= 1
      await work()
    }
  }
  await Promise.all(Array.from({ length: width }, worker))
}
