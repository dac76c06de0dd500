import { relative, sep } from 'node:path'

/** A file as seen from the folder that we run in, with `/` between folders. */
export const relativePath = (file: string): string =>
  file === '-' ? 'stdin' : relative(process.cwd(), file).split(sep).join('/')
