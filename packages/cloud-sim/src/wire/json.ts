import { CloudError } from '../errors.ts'

/** A shape of the vendor's client as it travels: moments are numbers of seconds. */
export type Wire<T> = T extends Date
  ? number
  : T extends (infer Item)[]
    ? Wire<Item>[]
    : T extends object
      ? { [Name in keyof T]: Wire<T[Name]> }
      : T

/** A timestamp (epoch milliseconds) as it travels. */
export const seconds = (timestamp: number) => timestamp / 1000

export function parseJson(body: string): object {
  try {
    const value: unknown = JSON.parse(body || '{}')
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {
    // answered below, like JSON that is no object
  }
  throw new CloudError('SerializationException', 'The request body is not a JSON object.')
}

export const jsonError = ({ code, message }: CloudError) => JSON.stringify({ __type: code, message })
