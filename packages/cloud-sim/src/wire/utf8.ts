import type { CloudError } from '../errors.ts'

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Decodes a body as UTF-8, which all protocols require. */
export function decodeUtf8(body: Buffer, unreadable: (message: string) => CloudError): string {
  try {
    return decoder.decode(body)
  } catch {
    throw unreadable('The request body is not encoded in UTF-8.')
  }
}
