import type { UserFacingError } from '@sluice/contract'

type Detail = NonNullable<UserFacingError['details']>[number]

/** Where an error of the tool is, as people read it. */
export type ErrorPlace = {
  /** The file with its line, then the resource. */
  where: string
  message?: string
  snippet?: string
  /** What stands in the snippet, and where else the error is. */
  more: readonly string[]
}

/** What a section says of an error's place; undefined for one that says something else. */
export function errorPlaceOf({ object }: Detail): ErrorPlace | undefined {
  if (!object) return undefined
  const { message, file, line, resource, snippet, values, alsoAt } = object
  const at = typeof file === 'string' ? [line === undefined ? file : `${file}, line ${line}`] : []
  const where = [...at, ...(typeof resource === 'string' ? [resource] : [])].join(' · ')
  if (where === '' && typeof message !== 'string') return undefined
  return {
    where,
    ...(typeof message === 'string' && { message }),
    ...(typeof snippet === 'string' && { snippet }),
    more: [...textsOf(values), ...textsOf(alsoAt).map((place) => `also at ${place}`)],
  }
}

const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
