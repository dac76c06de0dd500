import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Runs a program of this machine to its end and returns its output. Throws with what it wrote to stderr. */
export async function command(program: string, ...args: string[]): Promise<string> {
  return (await run(program, args, { maxBuffer: 2 ** 26 })).stdout
}
