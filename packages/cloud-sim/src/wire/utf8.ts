import type { CloudError } from '../errors.ts'

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Decodes a body; every protocol of the cloud requires UTF-8. */
export function decodeUtf8(body: Buffer, unreadable: (message: string) => CloudError): string {
  try {
    return decoder.decode(body)
  } catch {
    throw unreadable('The request body is not encoded in UTF-8.')
  }
}
