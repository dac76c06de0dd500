import type { AnalysisAction, AnalysisCheck, AnalysisOutcome, DeploymentAnalysis } from '@sluice/contract'
import { present } from '../../../platform/present.ts'
import type { AnalysisSpec } from './spec.ts'

/** Point of a release at which an analysis runs: a pause, or a bake, which has no hook. */
export type Watchpoint = { lifecycleStage?: string; hookId?: string }

/** One measurement of one check. */
export type Measurement = {
  check: string
  /** `AWAITED` is not counted: the data may still arrive. */
  outcome: 'SUCCESSFUL' | 'FAILED' | 'INCONCLUSIVE' | 'AWAITED'
  value?: number
  message: string
  /** Whether the metric had no data, so that `outcome` is the one that the module sets for this case. */
  hasNoData?: boolean
}

/** Returns the analysis in progress: the last one, unless it has ended. */
export const runningOf = (analyses: readonly DeploymentAnalysis[]): DeploymentAnalysis | undefined =>
  analyses.findLast(({ completedAt }) => completedAt === undefined)

/**
 * Returns the analyses after the release has reached `point`. Ends the analysis of another point, and starts one for a
 * new pause or bake. A decision about a pause is never repeated.
 */
export function analysesAt(
  analyses: readonly DeploymentAnalysis[],
  spec: AnalysisSpec,
  point: Watchpoint | undefined,
  now: Date,
): DeploymentAnalysis[] {
  const left = analyses.map((one) => (one.completedAt || isAt(one, point) ? one : endAnalysis(one, now)))
  const isKnown = left.some((one) => isAt(one, point) && (one.hookId !== undefined || !one.completedAt))
  if (!point || isKnown) return left
  const checks = spec.checks.map(
    ({ name }): AnalysisCheck => ({ name, outcome: 'RUNNING', successful: 0, failed: 0, inconclusive: 0 }),
  )
  return [...left, { ...point, startedAt: now.toISOString(), outcome: 'RUNNING', checks }]
}

/** Ends all analyses of a release that is complete or rolling back. */
export const endAnalyses = (analyses: readonly DeploymentAnalysis[], now: Date): DeploymentAnalysis[] =>
  analyses.map((one) => (one.completedAt ? one : endAnalysis(one, now)))

const isAt = (one: Watchpoint, point: Watchpoint | undefined): boolean =>
  point !== undefined && one.hookId === point.hookId && one.lifecycleStage === point.lifecycleStage

/**
 * Ends an analysis because the release continued: a bake was complete, or a user decided. A bake without a failed check
 * was successful.
 */
function endAnalysis(analysis: DeploymentAnalysis, now: Date): DeploymentAnalysis {
  const isBake = analysis.hookId === undefined
  const checks = analysis.checks.map((check) => endCheck(check, isBake))
  return { ...analysis, checks, outcome: outcomeOf(checks), completedAt: now.toISOString() }
}

/** Ends a check that is not measured any more. */
function endCheck(check: AnalysisCheck, isBake: boolean): AnalysisCheck {
  if (check.outcome !== 'RUNNING') return check
  const wasGood = isBake && check.successful > 0 && check.failed + check.inconclusive === 0
  return { ...check, outcome: wasGood ? 'SUCCESSFUL' : 'INCONCLUSIVE' }
}

/**
 * Returns when the checks are measured next. The first measurement is one interval after the start, because traffic has
 * to arrive first.
 */
export function dueAt({ startedAt, checks }: DeploymentAnalysis, { intervalSeconds }: AnalysisSpec): Date {
  const last = checks[0]?.lastMeasuredAt ?? startedAt
  return new Date(Date.parse(last) + intervalSeconds * 1000)
}

/** Returns the earliest time at which every check can have succeeded often enough. */
export function earliestSuccess(analysis: DeploymentAnalysis, spec: AnalysisSpec): Date {
  const open = analysis.checks.filter(({ outcome }) => outcome === 'RUNNING')
  const left = Math.max(1, ...open.map(({ successful }) => spec.count - successful))
  return new Date(dueAt(analysis, spec).getTime() + (left - 1) * spec.intervalSeconds * 1000)
}

/** Adds a measurement of every check to the analysis and determines its outcome. */
export function addMeasurements(
  analysis: DeploymentAnalysis,
  spec: AnalysisSpec,
  measurements: readonly Measurement[],
  now: Date,
): DeploymentAnalysis {
  const mayEnd = analysis.hookId !== undefined
  const judgedNow = analysis.checks.map((check) => {
    const measurement = measurements.find((one) => one.check === check.name)
    return measurement ? counted(check, spec, measurement, mayEnd, now) : check
  })
  const outcome = outcomeOf(judgedNow)
  const action = actionOf(outcome, mayEnd)
  const isOver = outcome === 'FAILED' || (mayEnd && outcome !== 'RUNNING')
  const checks = isOver ? judgedNow.map((check) => endCheck(check, false)) : judgedNow
  return present({ ...analysis, checks, outcome, action, completedAt: isOver ? now.toISOString() : undefined })
}

function counted(
  check: AnalysisCheck,
  spec: AnalysisSpec,
  { outcome, value, message }: Measurement,
  mayEnd: boolean,
  now: Date,
): AnalysisCheck {
  const { lastValue: _, ...before } = check
  const so = {
    ...before,
    successful: check.successful + (outcome === 'SUCCESSFUL' ? 1 : 0),
    failed: check.failed + (outcome === 'FAILED' ? 1 : 0),
    inconclusive: check.inconclusive + (outcome === 'INCONCLUSIVE' ? 1 : 0),
    lastMeasuredAt: now.toISOString(),
    message,
    ...present({ lastValue: value }),
  }
  return { ...so, outcome: outcomeOfCheck(so, spec, mayEnd) }
}

/**
 * Returns the outcome of a check. A failure always is final. A pause also ends after enough successes, a bake when the
 * cloud ends it.
 */
function outcomeOfCheck(
  { successful, failed, inconclusive }: Pick<AnalysisCheck, 'successful' | 'failed' | 'inconclusive'>,
  { count, failureLimit, inconclusiveLimit }: AnalysisSpec,
  mayEnd: boolean,
): AnalysisOutcome {
  if (failed > failureLimit) return 'FAILED'
  if (inconclusive > inconclusiveLimit) return 'INCONCLUSIVE'
  return mayEnd && successful >= count ? 'SUCCESSFUL' : 'RUNNING'
}

/** Returns the outcome of an analysis: one failed check decides; otherwise every check must be complete. */
function outcomeOf(checks: readonly AnalysisCheck[]): AnalysisOutcome {
  const has = (outcome: AnalysisOutcome) => checks.some((check) => check.outcome === outcome)
  if (has('FAILED')) return 'FAILED'
  if (has('RUNNING')) return 'RUNNING'
  return has('INCONCLUSIVE') ? 'INCONCLUSIVE' : 'SUCCESSFUL'
}

function actionOf(outcome: AnalysisOutcome, isPause: boolean): AnalysisAction | undefined {
  if (outcome === 'FAILED') return 'ROLLBACK'
  if (!isPause || outcome === 'RUNNING') return undefined
  return outcome === 'SUCCESSFUL' ? 'CONTINUE' : 'HOLD'
}

/** Returns one line for each check that decided the outcome. */
export const linesOf = ({ checks }: DeploymentAnalysis): string[] =>
  checks.map(
    ({ name, outcome, successful, failed, inconclusive, message }) =>
      `${name}: ${outcome}, ${successful} good, ${failed} bad, ${inconclusive} without a result; last: ${message ?? 'not measured'}`,
  )
