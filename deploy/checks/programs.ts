import { execFile } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'

/** Runs a program to its end; rejects with its output if it fails. */
export const run = promisify(execFile)

/** Returns whether a program of that name is on the PATH. */
export const isProgram = (name: string): Promise<boolean> =>
  Promise.any((process.env.PATH ?? '').split(':').map((folder) => access(join(folder, name), constants.X_OK))).then(
    () => true,
    () => false,
  )

/** Returns the address that a service logs when it is ready. */
export async function addressIn(log: Readable): Promise<string> {
  const lines: string[] = []
  for await (const line of createInterface({ input: log })) {
    lines.push(line)
    if (line.includes('Sluice is ready')) return (JSON.parse(line) as { url: string }).url
  }
  throw new Error(`The service ended before it was ready:\n${lines.join('\n')}`)
}

/** Returns the address and the API token that a demo prints, as the variables that the command line reads. */
export async function welcomeIn(output: Readable): Promise<{ SLUICE_URL: string; SLUICE_TOKEN: string }> {
  const lines: string[] = []
  for await (const line of createInterface({ input: output })) {
    lines.push(line)
    const [, SLUICE_URL] = /^Sluice is ready at (\S+)/.exec(line) ?? []
    const [, SLUICE_TOKEN] = /API token +(\S+)/.exec(lines.join('\n')) ?? []
    if (SLUICE_URL !== undefined && SLUICE_TOKEN !== undefined) return { SLUICE_URL, SLUICE_TOKEN }
  }
  throw new Error(`The demo ended before it was ready:\n${lines.join('\n')}`)
}
