import { styleText } from 'node:util'
import { removeControlCharacters } from '@sluice/calls/control-characters'
import type { ManualChange } from '@sluice/contract'
import { stringify } from 'yaml'
import { type FileProblem, faultLine } from '../source-text/fault.ts'
import type { Difference } from './difference.ts'
import type { Change, Plan } from './plan.ts'

const signs = { create: '+', change: '~', remove: '-' } as const
const colours = { create: 'green', change: 'yellow', remove: 'red' } as const

/** Formats a plan as text: one line for each record, followed by its differences. */
export const planText = ({ changes, unchanged }: Plan): string =>
  removeControlCharacters([...changes.flatMap(linesOf), summaryOf({ changes, unchanged })].join('\n')).concat('\n')

/** Formats a plan as Markdown for a comment on a pull request. */
export const planMarkdown = ({ changes, unchanged }: Plan): string =>
  markdownOf(summaryOf({ changes, unchanged }), { text: changes.flatMap(linesOf).join('\n'), language: 'diff' })

/** Formats errors in files as text, one line each. */
export const faultsText = (faults: readonly FileProblem[]): string => faults.map(faultLine).join('')

export const faultsMarkdown = (faults: readonly FileProblem[]): string => {
  const summary = `${faults.length} ${faults.length === 1 ? 'error' : 'errors'} in the files.`
  return markdownOf(summary, { text: faultsText(faults).trimEnd(), language: 'text' })
}

/** Encloses a text of other users in a code block that it cannot end. */
function markdownOf(summary: string, { text, language }: { text: string; language: string }): string {
  if (text === '') return `${summary}\n`
  const shown = shortened(removeControlCharacters(text)).replaceAll('```', "'''")
  return `**${summary}**\n\n\`\`\`${language}\n${shown}\n\`\`\`\n`
}

/** Maximum length in characters. A GitHub comment can have 65,536 (November 2026), including other content. */
const maxShownLength = 50_000

function shortened(text: string): string {
  if (text.length <= maxShownLength) return text
  const kept = text.slice(0, maxShownLength)
  return `${kept.slice(0, kept.lastIndexOf('\n'))}\n… and more, which sluice plan shows.`
}

function linesOf(change: Change): string[] {
  const { action, key, differences, byHand = [] } = change
  return [
    `${signs[action]} ${key}`,
    ...differences.flatMap((one) => differenceLines(one, action)),
    ...byHand.slice(0, maxManualChanges).map(byHandLine),
  ]
}

/** Maximum number of manual changes that are listed. */
const maxManualChanges = 5

const byHandLine = ({ at, by, fields, isDeletion }: ManualChange): string =>
  `    by hand: ${isDeletion ? 'removed' : fields.join(', ') || 'changed'}, by ${by} at ${at}`

/** Colors a text for terminals. */
export function coloured(text: string): string {
  const colourOf = (line: string) =>
    (['create', 'change', 'remove'] as const).find((action) => line.startsWith(`${signs[action]} `))
  return text
    .split('\n')
    .map((line) => {
      const action = colourOf(line)
      return action === undefined ? line : styleText(colours[action], line, { stream: process.stdout })
    })
    .join('\n')
}

/** Formats a difference as one line or, if it is long, as a block. */
export function differenceLines({ path, before, after }: Difference, action: Change['action'] = 'change'): string[] {
  const value = action === 'create' ? shortly(after) : `${shortly(before)} → ${shortly(after)}`
  const isShort = isInLine(before) && isInLine(after)
  if (isShort) return [`    ${path}: ${value}`]
  return [`    ${path}:`, ...blockOf('-', before), ...blockOf('+', after)]
}

const shortly = (value: unknown): string => (value === undefined ? '(nothing)' : JSON.stringify(value))

const longestInLine = 120

const isInLine = (value: unknown): boolean =>
  shortly(value).length <= longestInLine && !(typeof value === 'string' && value.includes('\n'))

const blockOf = (sign: string, value: unknown): string[] =>
  value === undefined
    ? []
    : stringify(value)
        .trimEnd()
        .split('\n')
        .map((line) => `      ${sign} ${line}`)

/** Returns the number of records to create, change and remove, as text. */
export function summaryOf({ changes, unchanged: { length: unchanged } }: Plan): string {
  if (changes.length === 0) return `No changes: ${counted(unchanged)} as in the files.`
  const count = (action: Change['action']) => changes.filter((change) => change.action === action).length
  return `${count('create')} to create, ${count('change')} to change, ${count('remove')} to remove; ${counted(unchanged)} as in the files.`
}

const counted = (count: number): string => (count === 1 ? '1 record is' : `${count} records are`)

/** Returns a plan as JSON for programs. */
export const planRecord = ({ changes, unchanged }: Plan) => ({
  changes: changes.map(({ action, key, differences, byHand }) => ({
    action,
    record: key,
    differences,
    ...(byHand && { byHand }),
  })),
  unchanged,
})
