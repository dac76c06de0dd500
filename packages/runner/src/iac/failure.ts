import type { ErrorDetail } from '@sluice/contract'
import type { FailureKey } from '@sluice/contract/errors'
import { StepFailure } from '../failure.ts'
import { type Diagnostic, resourceOf } from './diagnostic.ts'
import type { ToolEvent } from './messages.ts'

/** More would hide what matters; the log has all. */
const mostErrors = 20
/** Further places of one error. */
const mostPlaces = 20
/** Of one text. Providers put whole answers into it. Characters. */
const longestText = 4000
/** Of a file or an address: a path has no more. Characters. */
export const longestPlace = 500

/** What the tool has said against it: the first error, and all of them below, each with its place. */
export function toolFailure(key: FailureKey, message: string, events: readonly ToolEvent[]): StepFailure {
  const errors = events.flatMap((event) => (event.kind === 'error' ? [event.diagnostic] : []))
  const [first] = errors
  if (!first) return new StepFailure(key, `${message} The log says why.`)
  return new StepFailure(key, `${message} ${withStop(shortened(first.summary))}`, {
    ...(first.detail !== '' && { description: shortened(first.detail) }),
    details: sectionsOf(errors),
  })
}

const withStop = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

/** A section for each error. One that came more than once is there once, with the other places. */
function sectionsOf(errors: readonly Diagnostic[]): ErrorDetail[] {
  const alike = Object.values(Object.groupBy(errors, ({ summary, detail }) => JSON.stringify([summary, detail])))
  const sections = alike.slice(0, mostErrors).flatMap((those = []) => sectionOf(those))
  const left = alike.length - sections.length
  if (left === 0) return sections
  return [...sections, { title: 'More', render: 'list', items: [`${left} more errors are in the log.`] }]
}

function sectionOf([first, ...others]: readonly Diagnostic[]): ErrorDetail[] {
  if (!first) return []
  const { summary, detail, file, line, snippet, values = [] } = first
  const resource = resourceOf(first)
  const places = [...new Set(others.map(placeOf))].filter((place) => place !== '' && place !== placeOf(first))
  const left = places.length - mostPlaces
  const object = {
    ...(detail !== '' && { message: shortened(detail) }),
    ...(file !== undefined && { file: file.slice(0, longestPlace) }),
    ...(line !== undefined && { line }),
    ...(resource !== undefined && { resource: resource.slice(0, longestPlace) }),
    ...(snippet !== undefined && { snippet: shortened(snippet) }),
    ...(values.length > 0 && { values: values.slice(0, mostPlaces).map(shortened) }),
    ...(places.length > 0 && {
      alsoAt: left > 0 ? [...places.slice(0, mostPlaces), `${left} more places`] : places,
    }),
  }
  return [{ title: shortened(summary), render: 'object', object }]
}

function placeOf(error: Diagnostic): string {
  const { file, line } = error
  const at = file !== undefined && line !== undefined ? `${file}:${line}` : file
  return [at, resourceOf(error)]
    .filter((part) => part !== undefined)
    .join(', ')
    .slice(0, longestPlace)
}

/** Cuts a text of a diagnostic that is too long to be stored. */
export const shortened = (text: string): string =>
  text.length > longestText ? `${text.slice(0, longestText)} …, and more in the log` : text
