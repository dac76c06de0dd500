import { type IacChangeReason, maxReviewed, type PlanMove, type PlanReview, type PlanWarning } from '@sluice/contract'
import type { PlannedResource, ReadPlan } from '../adapter/plan.ts'
import { variablePrefix } from '../adapter/plan-format.ts'
import { createMask } from '../adapter/sensitive.ts'

/** Maximum length of texts and values in a review, in characters. */
const maxTextLength = 1_000

/** Returns what approvers see of a plan besides its resources, without secrets. */
export function reviewOf(
  { resources, outputChanges, warnings: ofPlan, variables, secrets }: ReadPlan,
  reported: readonly PlanWarning[],
  environment: Record<string, string>,
): PlanReview {
  const hide = createMask(secrets)
  const warnings = [...reported, ...ofPlan, ...undeclaredIn(environment, variables.declared)]
  return {
    reasonCounts: countReasons(resources),
    warnings: warnings.slice(0, maxReviewed.warnings).map((warning) => shortened(hide(warning)) as PlanWarning),
    warningCount: warnings.length,
    outputChanges: outputChanges
      .slice(0, maxReviewed.outputChanges)
      .map((change) => ({ ...change, ...shortened(hide(valuesOf(change))) })),
    outputChangeCount: outputChanges.length,
    moves: resources.flatMap(moveOf).slice(0, maxReviewed.moves),
  }
}

function countReasons(resources: readonly PlannedResource[]): PlanReview['reasonCounts'] {
  const counts: Partial<Record<IacChangeReason, number>> = {}
  for (const reason of resources.flatMap(({ changeReasons: { reasons } }) => reasons)) {
    counts[reason] = (counts[reason] ?? 0) + 1
  }
  return counts
}

const moveOf = ({ address, changeType, changeReasons: { previousAddress } }: PlannedResource): PlanMove[] =>
  previousAddress === undefined ? [] : [{ address, previousAddress, changeType }]

const valuesOf = ({ before, after }: { before?: unknown; after?: unknown }) => ({
  ...(before !== undefined && { before }),
  ...(after !== undefined && { after }),
})

/** Returns warnings for variables that no configuration declares and that may be misspelled; the tool ignores them. */
function undeclaredIn(environment: Record<string, string>, declared: readonly string[]): PlanWarning[] {
  const given = Object.keys(environment).filter((name) => name.startsWith(variablePrefix))
  const names = given.map((name) => name.slice(variablePrefix.length))
  const undeclared = names.filter((name) => !declared.includes(name))
  return undeclared.map((name) => ({
    summary: `The environment variable ${variablePrefix}${name} has no effect`,
    detail: `The configuration declares no variable "${name}". Check the spelling, or remove it.`,
  }))
}

/** Returns the object with long texts and values truncated. */
const shortened = (object: unknown): object =>
  Object.fromEntries(Object.entries(object as object).map(([name, value]) => [name, shortenedValue(value)]))

function shortenedValue(value: unknown): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : value
}
