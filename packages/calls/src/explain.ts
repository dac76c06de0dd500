import type { UserFacingError } from '@sluice/contract'
import { removeControlCharacters } from './control-characters.ts'

/**
 * Formats an error of the service with all details, one per line. The first line is sufficient on its own. Names and
 * messages of other users in it cannot control the terminal.
 */
export const explain = ({ message, code, description, details = [], action, requestId }: UserFacingError): string =>
  removeControlCharacters(
    [
      `${message} (${code})`,
      ...(description === undefined ? [] : [`  ${description}`]),
      ...details.flatMap(({ title, items = [], object }) => [
        ...underTitle(title, items),
        ...(object === undefined ? [] : [`  ${title}:`, ...Object.entries(object).flatMap(memberLines(description))]),
      ]),
      ...(action === undefined ? [] : [`  ${action.label}: ${action.url}`]),
      ...(code === 'Sluice:Server:INTERNAL' && requestId !== undefined
        ? [`  The log of the service knows more: ${requestId}`]
        : []),
    ].join('\n'),
  )

function underTitle(title: string, items: readonly string[]): string[] {
  if (items.length > 1) return [`  ${title}:`, ...items.map((item) => `    ${item}`.trimEnd())]
  return items.map((item) => `  ${title}: ${item}`)
}

/**
 * Formats a member of an object in one line, or below its name if it is a list or has several lines. Omits the value
 * `known`.
 */
const memberLines =
  (known: string | undefined) =>
  ([name, value]: [string, unknown]): string[] => {
    const [first = '', ...more] = linesOf(value)
    if (value === known) return []
    if (more.length === 0) return [`    ${name}: ${first.trim()}`]
    return [`    ${name}:`, ...[first, ...more].map((line) => `      ${line}`.trimEnd())]
  }

function linesOf(value: unknown): string[] {
  if (typeof value === 'string') return value.split('\n')
  const isList = Array.isArray(value) && value.length > 0
  return isList ? value.flatMap(linesOf) : [JSON.stringify(value)]
}
