import type { Price } from '@sluice/contract'

/** Formats the attributes of a price, one per line: `instance_type = t3.large`. */
export const linesOfAttributes = ({ where = {} }: Pick<Price, 'where'>): string =>
  Object.entries(where)
    .map(([path, value]) => `${path} = ${value}`)
    .join('\n')

/** Parses such lines. A value can contain `=`, a path can't. */
export function attributesFromLines(lines: string): NonNullable<Price['where']> {
  const pairs = lines
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [path = '', ...value] = line.split('=')
      return [path.trim(), value.join('=').trim()] as const
    })
  return Object.fromEntries(pairs)
}

/** Returns a list with the item at `index` replaced, or removed if `one` is undefined. An index at the end appends. */
export const replaceAt = <T>(list: readonly T[], index: number, one: T | undefined): T[] => [
  ...list.slice(0, index),
  ...(one === undefined ? [] : [one]),
  ...list.slice(index + 1),
]
