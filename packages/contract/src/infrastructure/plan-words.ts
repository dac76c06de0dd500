import type { PlanMove, PlanOutputChange, PlanReview, PlanWarning } from './iac-plan.ts'

const knownReasons: Readonly<Record<string, string>> = {
  IMPORT: 'imported',
  MOVE: 'moved',
  FORGET: 'forgotten',
  DEPOSED: 'deposed',
  GENERATED_CONFIG: 'with generated configuration',
  CREATE_BEFORE_DESTROY: 'created before the old one is destroyed',
  CHANGED_OUTSIDE: 'changed outside of the stack',
  REPLACE_BECAUSE_TAINTED: 'tainted',
  REPLACE_BECAUSE_CANNOT_UPDATE: 'cannot be updated in place',
  REPLACE_BY_REQUEST: 'replacement requested',
  REPLACE_BY_TRIGGERS: 'replaced by triggers',
  DELETE_BECAUSE_NO_RESOURCE_CONFIG: 'not in the configuration',
  DELETE_BECAUSE_NO_MODULE: 'module not in the configuration',
}

/**
 * Returns the display text of a reason, such as `imported`. Other reasons keep the tool's name, such as `delete because
 * each key`.
 */
export const reasonInWords = (reason: string): string =>
  knownReasons[reason] ?? reason.toLowerCase().replaceAll('_', ' ')

/**
 * Returns the counts of a review on one line, such as `1 imported, 2 moved, 1 output change`, or an empty string.
 */
export function reviewInWords({ reasonCounts, outputChangeCount, warningCount }: PlanReview): string {
  const reasons = Object.entries(reasonCounts).map(([reason, count]) => `${count} ${reasonInWords(reason)}`)
  const outputs = outputChangeCount === 1 ? '1 output change' : `${outputChangeCount} output changes`
  const warnings = warningCount === 1 ? '1 warning' : `${warningCount} warnings`
  return [...reasons, ...(outputChangeCount > 0 ? [outputs] : []), ...(warningCount > 0 ? [warnings] : [])].join(', ')
}

/**
 * Returns one line for each listed warning, move and output change of a review, and one for the number of unlisted
 * ones.
 */
export function reviewLines(review: PlanReview): string[] {
  const { reasonCounts, warnings, warningCount, moves, outputChanges, outputChangeCount } = review
  return [
    ...warnings.map(warningLine),
    ...more(warningCount - warnings.length, 'warnings'),
    ...moves.map(moveLine),
    ...more((reasonCounts.MOVE ?? 0) - moves.length, 'moves'),
    ...outputChanges.map(outputLine),
    ...more(outputChangeCount - outputChanges.length, 'outputs'),
  ]
}

export function warningLine({ summary, detail, address, file, line }: PlanWarning): string {
  const place = [address, file !== undefined && line !== undefined ? `${file} line ${line}` : file]
  const where = place.filter((part) => part !== undefined).join(', ')
  return `Warning: ${summary}${where === '' ? '' : ` (${where})`}${detail === undefined ? '' : `: ${detail}`}`
}

const moveLine = ({ address, previousAddress }: PlanMove): string => `${previousAddress} has moved to ${address}`

function outputLine({ name, ...values }: PlanOutputChange): string {
  const [before, after] = [textOf(values.before ?? null), textOf(values.after ?? null)]
  if (!('before' in values)) return `Output ${name}: ${after} (new)`
  return 'after' in values ? `Output ${name}: ${before} → ${after}` : `Output ${name}: ${before} (removed)`
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const more = (count: number, of: string): string[] => (count > 0 ? [`More ${of}: ${count}`] : [])
