import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { readText } from './read-text.ts'

/** Returns the command line of a process; an empty string if it does not exist. */
export async function readCommandLine(pid: number): Promise<string> {
  if (process.platform === 'linux') return readText(`/proc/${pid}/cmdline`)
  const ps = promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', String(pid)])
  return ps.then(
    ({ stdout }) => stdout,
    () => '',
  )
}
