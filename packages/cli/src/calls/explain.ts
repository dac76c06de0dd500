import type { UserFacingError } from '@sluice/contract'

/**
 * An error of the service with everything that helps, a line each; the first says it all to whoever reads no further.
 */
export const explain = ({ message, code, description, details = [], action, requestId }: UserFacingError): string =>
  [
    `${message} (${code})`,
    ...(description === undefined ? [] : [`  ${description}`]),
    ...details.flatMap(({ title, items = [], object = {} }) => [
      ...underTitle(title, items),
      ...Object.entries(object).map(([name, value]) => `  ${title}: ${name}: ${inOneLine(value)}`),
    ]),
    ...(action === undefined ? [] : [`  ${action.label}: ${action.url}`]),
    ...(code === 'Sluice:Server:INTERNAL' && requestId !== undefined
      ? [`  The log of the service knows more: ${requestId}`]
      : []),
  ].join('\n')

function underTitle(title: string, items: readonly string[]): string[] {
  if (items.length > 1) return [`  ${title}:`, ...items.map((item) => `    ${item}`.trimEnd())]
  return items.map((item) => `  ${title}: ${item}`)
}

const inOneLine = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
