import type { ReportedWarning } from '@sluice/contract/runner-protocol'
import { type Diagnostic, findResource } from './diagnostic.ts'
import { maxLocationLength, truncateText } from './failure.ts'

/** Maximum number of warnings that the API accepts. */
export const maxWarnings = 1_000

/** Collects the distinct warnings of one run up to that maximum. */
export class Warnings {
  readonly #warnings = new Map<string, ReportedWarning>()

  add(diagnostic: Diagnostic): void {
    const warning = toReportedWarning(diagnostic)
    if (this.#warnings.size < maxWarnings) this.#warnings.set(JSON.stringify(warning), warning)
  }

  get list(): ReportedWarning[] {
    return [...this.#warnings.values()]
  }
}

function toReportedWarning(diagnostic: Diagnostic): ReportedWarning {
  const { summary, detail, file, line } = diagnostic
  const resource = findResource(diagnostic)
  return {
    summary: truncateText(summary),
    ...(detail !== '' && { detail: truncateText(detail) }),
    ...(resource !== undefined && { address: resource.slice(0, maxLocationLength) }),
    ...(file !== undefined && { file: file.slice(0, maxLocationLength) }),
    ...(line !== undefined && Number.isInteger(line) && { line }),
  }
}
