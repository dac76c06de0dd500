import { isUtf8 } from 'node:buffer'
import { apiErrors } from '@sluice/contract'
import { hasTooManyValues } from '../../platform/http/value-count.ts'
import { tooManyValues } from '../schemas/check.ts'
import type { PositionedProblem, SourceText } from './document.ts'

/** Maximum size in bytes. A config can have 4 MiB as JSON, and more with indentation and comments. */
export const maxFileBytes = 8 * 1024 * 1024

/** Returns an error for a text that would take too long to read or exceeds the limits of the service. */
export function limitErrorOf(bytes: Buffer): PositionedProblem | undefined {
  const { code } = apiErrors.bodyTooLarge
  if (bytes.length > maxFileBytes) {
    return { line: 1, column: 1, code, message: `expected at most ${maxFileBytes} bytes, 4 MiB as JSON, it has more` }
  }
  return hasTooManyValues(bytes) ? { line: 1, column: 1, code, message: tooManyValues } : undefined
}

/** Decodes a text as well as possible, so that another encoding can be recognized. */
export function decodeText(bytes: Buffer): string {
  const order = byteOrderOf(bytes)
  const text = order ? new TextDecoder(order).decode(bytes) : bytes.toString()
  // Editors do not count the byte order mark either.
  return text.replace(/^\ufeff/, '')
}

function byteOrderOf(bytes: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined
}

/** Returns an error with its position if the bytes are not valid text. */
export function unreadable(bytes: Buffer, text: string, source: SourceText): PositionedProblem | undefined {
  if (byteOrderOf(bytes)) return source.at(0, 'not-text', 'The file is UTF-16. Save it as UTF-8.')
  if (!isUtf8(bytes)) return source.at(text.indexOf('\ufffd'), 'not-text', 'This is not UTF-8. Save the file as UTF-8.')
  const nul = text.indexOf('\0')
  return nul === -1
    ? undefined
    : source.at(nul, 'not-text', 'This is a NUL, which no text has. Save the file as UTF-8.')
}
