import { CloudError } from '../errors.ts'

interface PageInput {
  NextToken?: string | undefined
  MaxResults?: number | undefined
}

const maxPageSize = 50

/** Returns a page of a list. The opaque token is the start of the next page in base64. */
export function page<T>(items: T[], { NextToken, MaxResults: size = maxPageSize }: PageInput) {
  if (!(Number.isInteger(size) && size >= 1 && size <= maxPageSize)) {
    throw new CloudError('ValidationException', `MaxResults must be between 1 and ${maxPageSize}.`)
  }
  const from = NextToken === undefined ? 0 : Number(Buffer.from(NextToken, 'base64').toString())
  if (!Number.isInteger(from) || from < 0) throw new CloudError('InvalidNextToken', 'The specified token is not valid.')
  const next = from + size
  const more = next < items.length ? { NextToken: Buffer.from(String(next)).toString('base64') } : {}
  return { items: items.slice(from, next), more }
}
