import type { UserFacingError } from '@sluice/contract'

type Detail = NonNullable<UserFacingError['details']>[number]

/** Location of a tool's error. */
export type ErrorLocation = {
  /** File and line, then the resource. */
  where: string
  message?: string
  snippet?: string
  /** Snippet and other locations. */
  more: readonly string[]
}

/** Parses the location in an error section; undefined for other sections. */
export function parseErrorLocation({ object }: Detail): ErrorLocation | undefined {
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
