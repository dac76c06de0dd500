import { customType } from './drizzle.ts'
import { storableJson } from './storable.ts'

/**
 * Columns whose values were renamed in version 0.3. They store the former spelling and read both, because processes of
 * the last release may run beside this one during an upgrade. The release after it writes the new spelling.
 */

/** The former spelling of each renamed value. */
type Former<T extends string> = Partial<Record<T, string>>

/** Defines a text column that stores renamed values in their former spelling. */
export const renamedText = <T extends string>(name: string, former: Former<T>) => {
  const { toStored, toCurrent } = spellings(former)
  return customType<{ data: T; driverData: string }>({
    dataType: () => 'text',
    toDriver: toStored,
    fromDriver: toCurrent,
  })(name)
}

/** Defines a jsonb column whose documents `toStored` and `toCurrent` translate. */
export const renamedJson = <T>(
  name: string,
  { toStored, toCurrent }: { toStored: (value: T) => unknown; toCurrent: (stored: never) => T },
) =>
  customType<{ data: T; driverData: unknown }>({
    dataType: () => 'jsonb',
    toDriver: (value) => storableJson(toStored(value)),
    fromDriver: (stored) => toCurrent((typeof stored === 'string' ? JSON.parse(stored) : stored) as never),
  })(name)

/** Returns functions that translate a value between its two spellings. */
export function spellings<T extends string>(former: Former<T>) {
  const current = new Map(Object.entries<string>(former as Record<string, string>).map(([to, from]) => [from, to]))
  return {
    toStored: (value: T): string => former[value] ?? value,
    toCurrent: (stored: string): T => (current.get(stored) ?? stored) as T,
  }
}

/** Returns functions that translate the name of one field of a document. */
export const renamedField = <T extends object>(current: keyof T & string, former: string) => ({
  toStored: (value: T): object => moved(value, current, former),
  toCurrent: (stored: object): T => moved(stored, former, current) as T,
})

function moved(document: object, from: string, to: string): object {
  if (!(from in document)) return document
  const { [from]: value, ...rest } = document as Record<string, unknown>
  return { ...rest, [to]: value }
}
