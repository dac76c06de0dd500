import { CloudError } from '../errors.ts'
import type { HttpRequest } from '../wire/protocol.ts'
import { invalidArgument } from './answers.ts'
import type { StoredObject } from './state.ts'

// "Categorizing your objects using tags", user guide, read 2026-11.
const maxTags = 10
const maxKeyLength = 128
const maxValueLength = 256

/** Returns the tags in a new object's header, which are encoded like a query. */
export function tagsInHeader({ headers }: Pick<HttpRequest, 'headers'>): StoredObject['tags'] {
  const header = headers['x-amz-tagging']
  if (typeof header !== 'string' || header === '') return undefined
  const given = [...new URLSearchParams(header)]
  if (new Set(given.map(([key]) => key)).size < given.length) {
    throw invalidArgument(
      "The header 'x-amz-tagging' shall be encoded as UTF-8 then URLEncoded URL query parameters without tag name duplicates.",
    )
  }
  return checkedTags(given)
}

/** Validates tags and returns them by key. */
export function checkedTags(given: [key: string, value: string][]): Record<string, string> {
  if (given.length > maxTags) throw new CloudError('BadRequest', `Object tags cannot be greater than ${maxTags}`)
  const keys = new Set<string>()
  for (const [key, value] of given) {
    if (keys.has(key)) throw invalidTag('Cannot provide multiple Tags with the same key')
    keys.add(key)
    if (key === '' || key.length > maxKeyLength) throw invalidTag('The TagKey you have provided is invalid')
    if (value.length > maxValueLength) throw invalidTag('The TagValue you have provided is invalid')
    if (/^aws:/i.test(key)) throw invalidTag('System tags cannot be added/updated by requester')
  }
  return Object.fromEntries(given)
}

const invalidTag = (message: string) => new CloudError('InvalidTag', message)
