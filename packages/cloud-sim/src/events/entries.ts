import type { PutEventsRequest } from '@aws-sdk/client-eventbridge'
import { CloudError } from '../errors.ts'
import type { Wire } from '../wire/json.ts'

type Entry = NonNullable<Wire<PutEventsRequest>['Entries']>[number]

const maxBytes = 1024 * 1024

/** Returns the size of an entry ("Calculating PutEvents event entry size", read 2026-11). */
const bytesOf = ({ Time, Source = '', DetailType = '', Detail = '', Resources = [] }: Entry) =>
  (Time === undefined ? 0 : 14) +
  [Source, DetailType, Detail, ...Resources].reduce((sum, text) => sum + Buffer.byteLength(text), 0)

/** Rejects a request whose entries exceed the total size limit. */
export function checkEntries(entries: Entry[]): void {
  if (entries.reduce((sum, entry) => sum + bytesOf(entry), 0) <= maxBytes) return
  throw new CloudError('ValidationException', 'Total size of the entries in the request is over the limit.')
}

/** Returns why a single entry is rejected, or undefined. */
export function entryError({ Source, DetailType, Detail }: Entry): { code: string; message: string } | undefined {
  const missing = Object.entries({ Source, DetailType, Detail }).find(([, value]) => !value)
  if (missing) {
    const [name] = missing
    return {
      code: 'InvalidArgument',
      message: `Parameter ${name} is not valid. Reason: ${name} is a required argument.`,
    }
  }
  if (/^aws\./.test(Source ?? '')) {
    return { code: 'NotAuthorizedForSourceException', message: `Not authorized for the source.` }
  }
  return isObject(Detail ?? '') ? undefined : { code: 'MalformedDetail', message: 'Detail is malformed.' }
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
