import type { Price } from '@sluice/contract'

/** The attributes that a price names, a line each, as the form has them: `instance_type = t3.large`. */
export const linesOf = ({ where = {} }: Pick<Price, 'where'>): string =>
  Object.entries(where)
    .map(([path, value]) => `${path} = ${value}`)
    .join('\n')

/** What such lines name; a value may have a `=` of its own, a path has none. */
export function whereIn(lines: string): NonNullable<Price['where']> {
  const pairs = lines
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [path = '', ...value] = line.split('=')
      return [path.trim(), value.join('=').trim()] as const
    })
  return Object.fromEntries(pairs)
}

/** A list with something else in a place of it, or with something more at its end; without it, the place is gone. */
export const placed = <T>(list: readonly T[], index: number, one: T | undefined): T[] => [
  ...list.slice(0, index),
  ...(one === undefined ? [] : [one]),
  ...list.slice(index + 1),
]
