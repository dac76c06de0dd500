import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { textIn } from './text-in.ts'

/** The command line of a process; empty where there is none with this id, or no longer. */
export async function commandLineOf(pid: number): Promise<string> {
  if (process.platform === 'linux') return textIn(`/proc/${pid}/cmdline`)
  const ps = promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', String(pid)])
  return ps.then(
    ({ stdout }) => stdout,
    () => '',
  )
}
