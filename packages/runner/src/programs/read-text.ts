import { existsSync, readFileSync } from 'node:fs'

/**
 * Reads a small file; returns an empty string if it does not exist. Synchronous, because that is faster than the thread
 * pool.
 */
export function readText(file: string): string {
  try {
    // Usually the file does not exist. Checking is ten times faster than an exception.
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  } catch {
    return ''
  }
}
