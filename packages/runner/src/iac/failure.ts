import type { ErrorDetail } from '@sluice/contract'
import type { FailureKey } from '@sluice/contract/errors'
import { StepFailure } from '../failure.ts'
import { type Diagnostic, findResource } from './diagnostic.ts'
import type { ToolEvent } from './messages.ts'

/** Maximum number of errors to list. The log has all of them. */
const maxErrors = 20
/** Maximum number of further locations of one error. */
const maxLocations = 20
/** Maximum characters of a text. Providers include whole responses. */
const maxTextLength = 4000
/** Maximum characters of a file path or an address. */
export const maxLocationLength = 500

/** Creates a step failure with the first error in the message and all errors with their locations in the details. */
export function createToolFailure(key: FailureKey, message: string, events: readonly ToolEvent[]): StepFailure {
  const errors = events.flatMap((event) => (event.kind === 'error' ? [event.diagnostic] : []))
  const [first] = errors
  if (!first) return new StepFailure(key, `${message} See the log for the reason.`)
  return new StepFailure(key, `${message} ${endSentence(truncateText(first.summary))}`, {
    ...(first.detail !== '' && { description: truncateText(first.detail) }),
    details: createSections(errors),
  })
}

const endSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

/** Returns one section per distinct error, with all of its locations. */
function createSections(errors: readonly Diagnostic[]): ErrorDetail[] {
  const alike = Object.values(Object.groupBy(errors, ({ summary, detail }) => JSON.stringify([summary, detail])))
  const sections = alike.slice(0, maxErrors).flatMap((those = []) => createSection(those))
  const left = alike.length - sections.length
  if (left === 0) return sections
  return [...sections, { title: 'More', render: 'list', items: [`${left} more errors are in the log.`] }]
}

function createSection([first, ...others]: readonly Diagnostic[]): ErrorDetail[] {
  if (!first) return []
  const { summary, detail, file, line, snippet, values = [] } = first
  const resource = findResource(first)
  const places = [...new Set(others.map(formatLocation))].filter(
    (place) => place !== '' && place !== formatLocation(first),
  )
  const left = places.length - maxLocations
  const object = {
    ...(detail !== '' && { message: truncateText(detail) }),
    ...(file !== undefined && { file: file.slice(0, maxLocationLength) }),
    ...(line !== undefined && { line }),
    ...(resource !== undefined && { resource: resource.slice(0, maxLocationLength) }),
    ...(snippet !== undefined && { snippet: truncateText(snippet) }),
    ...(values.length > 0 && { values: values.slice(0, maxLocations).map(truncateText) }),
    ...(places.length > 0 && {
      alsoAt: left > 0 ? [...places.slice(0, maxLocations), `${left} more locations`] : places,
    }),
  }
  return [{ title: truncateText(summary), render: 'object', object }]
}

function formatLocation(error: Diagnostic): string {
  const { file, line } = error
  const at = file !== undefined && line !== undefined ? `${file}:${line}` : file
  return [at, findResource(error)]
    .filter((part) => part !== undefined)
    .join(', ')
    .slice(0, maxLocationLength)
}

/** Truncates a text of a diagnostic to the maximum length. */
export const truncateText = (text: string): string =>
  text.length > maxTextLength ? `${text.slice(0, maxTextLength)}… (see the log for the rest)` : text
