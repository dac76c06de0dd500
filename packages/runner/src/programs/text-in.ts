import { existsSync, readFileSync } from 'node:fs'

/** Of a few bytes, which are read sooner than a thread of the pool is asked to. Empty where there is no such file. */
export function textIn(file: string): string {
  try {
    // As a rule there is none: to ask takes a tenth of what an error takes that nobody looks at.
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  } catch {
    return ''
  }
}
