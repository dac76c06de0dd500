import { CloudError } from '../errors.ts'
import type { Reply } from '../wire/protocol.ts'
import { xmlReply } from '../wire/rest-xml.ts'

/** Creates a response in Route 53's XML namespace. */
export const dnsReply = (
  root: string,
  elements: object,
  more?: { status?: number; headers?: Record<string, string> },
): Reply => xmlReply([root, 'https://route53.amazonaws.com/doc/2013-04-01/'], elements, more)

export const invalidInput = (message: string) => new CloudError('InvalidInput', message)

const maxPageSize = 300

/** Returns the page size, at most 300. */
export function pageSize(maxItems: string | undefined): number {
  const size = Number(maxItems ?? maxPageSize)
  if (!(Number.isInteger(size) && size >= 1)) throw invalidInput(`Invalid maxItems: ${maxItems}`)
  return Math.min(size, maxPageSize)
}
