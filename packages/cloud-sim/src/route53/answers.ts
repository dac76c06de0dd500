import { CloudError } from '../errors.ts'
import type { Reply } from '../wire/protocol.ts'
import { xmlReply } from '../wire/rest-xml.ts'

/** An answer in the namespace of the name service. */
export const dnsReply = (
  root: string,
  elements: object,
  more?: { status?: number; headers?: Record<string, string> },
): Reply => xmlReply([root, 'https://route53.amazonaws.com/doc/2013-04-01/'], elements, more)

export const invalidInput = (message: string) => new CloudError('InvalidInput', message)

const longestPage = 300

/** How many of a list are told at most: at most 300, whatever is asked for. */
export function pageSize(maxItems: string | undefined): number {
  const size = Number(maxItems ?? longestPage)
  if (!(Number.isInteger(size) && size >= 1)) throw invalidInput(`Invalid maxItems: ${maxItems}`)
  return Math.min(size, longestPage)
}
