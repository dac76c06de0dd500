import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Returns whether a program is in a folder of the PATH, where the checks put tools that they do not install. */
export const isOnPath = (program: string): boolean =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)))
