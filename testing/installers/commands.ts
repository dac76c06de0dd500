import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Runs a local program and returns its output. Throws with its stderr output on failure. */
export async function command(program: string, ...args: string[]): Promise<string> {
  return (await run(program, args, { maxBuffer: 2 ** 26 })).stdout
}
