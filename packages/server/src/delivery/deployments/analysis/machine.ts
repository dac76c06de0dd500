import type { AnalysisAction, AnalysisCheck, AnalysisOutcome, DeploymentAnalysis } from '@sluice/contract'
import { present } from '../../../platform/present.ts'
import type { AnalysisSpec } from './spec.ts'

/** Where a release stands as far as analysis goes: at a pause, or in a bake, which has no hook. */
export type Watchpoint = { lifecycleStage?: string; hookId?: string }

/** One measurement of one check. */
export type Measurement = {
  check: string
  /** `AWAITED` counts for nothing: what is measured may come yet. */
  outcome: 'SUCCESSFUL' | 'FAILED' | 'INCONCLUSIVE' | 'AWAITED'
  value?: number
  message: string
  /** The outcome is what the module says of a metric without data. */
  hasNoData?: boolean
}

/** The analysis that runs, if one does: at most one, and the last. */
export const runningOf = (analyses: readonly DeploymentAnalysis[]): DeploymentAnalysis | undefined =>
  analyses.findLast(({ completedAt }) => completedAt === undefined)

/**
 * The analyses once the release stands at `point`: one that was of another place is over, and one begins where a pause
 * or a bake is new. What was decided about a pause stays decided.
 */
export function watched(
  analyses: readonly DeploymentAnalysis[],
  spec: AnalysisSpec,
  point: Watchpoint | undefined,
  now: Date,
): DeploymentAnalysis[] {
  const left = analyses.map((one) => (one.completedAt || isAt(one, point) ? one : ended(one, now)))
  const isKnown = left.some((one) => isAt(one, point) && (one.hookId !== undefined || !one.completedAt))
  if (!point || isKnown) return left
  const checks = spec.checks.map(
    ({ name }): AnalysisCheck => ({ name, outcome: 'RUNNING', successful: 0, failed: 0, inconclusive: 0 }),
  )
  return [...left, { ...point, startedAt: now.toISOString(), outcome: 'RUNNING', checks }]
}

/** The analyses of a release that goes no further. */
export const allEnded = (analyses: readonly DeploymentAnalysis[], now: Date): DeploymentAnalysis[] =>
  analyses.map((one) => (one.completedAt ? one : ended(one, now)))

const isAt = (one: Watchpoint, point: Watchpoint | undefined): boolean =>
  point !== undefined && one.hookId === point.hookId && one.lifecycleStage === point.lifecycleStage

/** The release went on without it: a bake was over, or a person decided. A bake that nothing spoke against was good. */
function ended(analysis: DeploymentAnalysis, now: Date): DeploymentAnalysis {
  const isBake = analysis.hookId === undefined
  const checks = analysis.checks.map((check) => brokenOff(check, isBake))
  return { ...analysis, checks, outcome: outcomeOf(checks), completedAt: now.toISOString() }
}

/** A check that nobody measures any more. */
function brokenOff(check: AnalysisCheck, isBake: boolean): AnalysisCheck {
  if (check.outcome !== 'RUNNING') return check
  const wasGood = isBake && check.successful > 0 && check.failed + check.inconclusive === 0
  return { ...check, outcome: wasGood ? 'SUCCESSFUL' : 'INCONCLUSIVE' }
}

/** When the checks are measured next. The first time is an interval after the start: traffic comes first. */
export function dueAt({ startedAt, checks }: DeploymentAnalysis, { intervalSeconds }: AnalysisSpec): Date {
  const last = checks[0]?.lastMeasuredAt ?? startedAt
  return new Date(Date.parse(last) + intervalSeconds * 1000)
}

/** When every check has been good often enough at the soonest. */
export function soonestGoodEnd(analysis: DeploymentAnalysis, spec: AnalysisSpec): Date {
  const open = analysis.checks.filter(({ outcome }) => outcome === 'RUNNING')
  const left = Math.max(1, ...open.map(({ successful }) => spec.count - successful))
  return new Date(dueAt(analysis, spec).getTime() + (left - 1) * spec.intervalSeconds * 1000)
}

/** The analysis with one measurement more of every check, and what comes of it. */
export function judged(
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
  const checks = isOver ? judgedNow.map((check) => brokenOff(check, false)) : judgedNow
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

/** Failure is final wherever it is seen; a pause also ends when enough was seen, a bake when the cloud ends it. */
function outcomeOfCheck(
  { successful, failed, inconclusive }: Pick<AnalysisCheck, 'successful' | 'failed' | 'inconclusive'>,
  { count, failureLimit, inconclusiveLimit }: AnalysisSpec,
  mayEnd: boolean,
): AnalysisOutcome {
  if (failed > failureLimit) return 'FAILED'
  if (inconclusive > inconclusiveLimit) return 'INCONCLUSIVE'
  return mayEnd && successful >= count ? 'SUCCESSFUL' : 'RUNNING'
}

/** One check that failed is enough; short of that each has to come to its end. */
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

/** The checks that decided, each in a line. */
export const linesOf = ({ checks }: DeploymentAnalysis): string[] =>
  checks.map(
    ({ name, outcome, successful, failed, inconclusive, message }) =>
      `${name}: ${outcome}, ${successful} good, ${failed} bad, ${inconclusive} without a result; last: ${message ?? 'not measured'}`,
  )
