import type { ReportedWarning } from '@sluice/contract/runner-protocol'
import { type Diagnostic, resourceOf } from './diagnostic.ts'
import { longestPlace, shortened } from './failure.ts'

/** As many as the API takes. */
export const maxWarnings = 1_000

/** The distinct warnings of one run of the tool, as far as the API takes them. */
export class Warnings {
  readonly #kept = new Map<string, ReportedWarning>()

  add(diagnostic: Diagnostic): void {
    const warning = warningOf(diagnostic)
    if (this.#kept.size < maxWarnings) this.#kept.set(JSON.stringify(warning), warning)
  }

  get kept(): ReportedWarning[] {
    return [...this.#kept.values()]
  }
}

function warningOf(diagnostic: Diagnostic): ReportedWarning {
  const { summary, detail, file, line } = diagnostic
  const resource = resourceOf(diagnostic)
  return {
    summary: shortened(summary),
    ...(detail !== '' && { detail: shortened(detail) }),
    ...(resource !== undefined && { address: resource.slice(0, longestPlace) }),
    ...(file !== undefined && { file: file.slice(0, longestPlace) }),
    ...(line !== undefined && Number.isInteger(line) && { line }),
  }
}
