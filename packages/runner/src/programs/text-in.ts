import { readFileSync } from 'node:fs'

/** Of a few bytes, which are read sooner than a thread of the pool is asked to. Empty where there is no such file. */
export function textIn(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
