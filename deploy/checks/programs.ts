import { execFile } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Runs a program to its end; rejects with its output if it fails. */
export const run = promisify(execFile)

/** Returns whether a program of that name is on the PATH. */
export const isProgram = (name: string): Promise<boolean> =>
  Promise.any((process.env.PATH ?? '').split(':').map((folder) => access(join(folder, name), constants.X_OK))).then(
    () => true,
    () => false,
  )
