import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Reports whether a program is on the PATH, where the checks expect optional tools. */
export const isOnPath = (program: string): boolean =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)))
