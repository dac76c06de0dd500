import { relative, sep } from 'node:path'

/** Returns a path relative to the current folder, with `/` as separator. */
export const relativePath = (file: string): string =>
  file === '-' ? 'stdin' : relative(process.cwd(), file).split(sep).join('/')
