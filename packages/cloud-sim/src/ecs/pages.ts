import { invalidParameter } from '../errors.ts'

interface PageInput {
  nextToken?: string | undefined
  maxResults?: number | undefined
}

/** Returns a page of a list. The opaque token is the start of the next page in base64. */
export function page<T>(items: T[], { nextToken, maxResults }: PageInput, usual = 100, longest = 100) {
  const size = maxResults ?? usual
  if (!(Number.isInteger(size) && size >= 1 && size <= longest)) {
    throw invalidParameter(`maxResults must be between 1 and ${longest}.`)
  }
  const from = nextToken === undefined ? 0 : Number(Buffer.from(nextToken, 'base64').toString())
  if (!Number.isInteger(from) || from < 0) throw invalidParameter('Invalid token.')
  const next = from + size
  const more = next < items.length ? { nextToken: Buffer.from(String(next)).toString('base64') } : {}
  return { items: items.slice(from, next), more }
}
