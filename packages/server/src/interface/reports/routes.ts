import { maxReportDays, maxReportRows, type ReportInterval, routes } from '@sluice/contract'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { requestInvalid } from '../../platform/http/input.ts'
import { listed } from '../../platform/http/listed.ts'
import { readDeploymentRecords } from './deployment-records.ts'
import { intervalsIn } from './intervals.ts'
import { readDeliveryRecords, readRunRecords } from './records.ts'
import { readApprovals, readChanges, readDeliveries, readPauses, readRuns, readSteps } from './store.ts'

const dayMs = 86_400_000
const usualDays = 30

const noDeliveries = { deployments: 0, changes: 0, failures: 0, restores: 0, commitsKnown: 0 }
const noRuns = { runs: 0, succeeded: 0, failed: 0, cancelled: 0 }
const noPauses = { pauses: 0, continued: 0, ended: 0, waiting: 0 }
const noApprovals = { requested: 0, approved: 0, rejected: 0, expired: 0, waiting: 0 }

/** Serves reports on the records that the caller can see; the database hides the others. */
export function serveReports(app: App, { clock }: { clock: () => Date }): void {
  handle(app, routes.getDeliveryReport, async ({ query, caller: { organizationId }, db }) => {
    const range = rangeOf(query, clock())
    const rows = await readDeliveries(db, { ...query, ...range, organizationId }, maxReportRows + 1)
    return { data: divided(query, range, rows, noDeliveries) }
  })

  handle(app, routes.getPauseReport, async ({ query, caller: { organizationId }, db }) => {
    const range = rangeOf(query, clock())
    const rows = await readPauses(db, { ...query, ...range, organizationId }, maxReportRows + 1)
    return { data: divided(query, range, rows, noPauses) }
  })

  handle(app, routes.getDeliveryRecords, async ({ query, caller: { organizationId }, db }) => {
    const range = rangeOf(query, clock())
    const wanted = { ...query, ...range, organizationId }
    return { data: { ...momentsOf(range), ...(await readDeliveryRecords(db, wanted, query.figure, query.limit)) } }
  })

  handle(app, routes.getDeploymentRecords, async ({ query, caller: { organizationId }, db }) => {
    const range = rangeOf(query, clock())
    return {
      data: { ...momentsOf(range), ...(await readDeploymentRecords(db, { ...query, ...range, organizationId })) },
    }
  })

  handle(app, routes.getRunReport, async ({ query, caller: { organizationId }, db }) => {
    const range = rangeOf(query, clock())
    const rows = await readRuns(db, { ...query, ...range, organizationId }, maxReportRows + 1)
    return { data: divided(query, range, rows, noRuns) }
  })

  handle(app, routes.getApprovalReport, async ({ query, caller: { organizationId }, db }) => {
    const range = rangeOf(query, clock())
    const rows = await readApprovals(db, { ...query, ...range, organizationId }, maxReportRows + 1)
    return { data: divided(query, range, rows, noApprovals) }
  })

  handle(app, routes.getStepReport, async ({ query, caller: { organizationId }, db }) => {
    const range = rangeOf(query, clock())
    const rows = await readSteps(db, { ...query, ...range, organizationId }, query.order, query.limit)
    return { data: { ...momentsOf(range), rows } }
  })

  handle(app, routes.getRunRecords, async ({ query, caller: { organizationId }, db }) => {
    const range = rangeOf(query, clock())
    const wanted = { ...query, ...range, organizationId }
    return { data: { ...momentsOf(range), ...(await readRunRecords(db, wanted, query.figure, query.limit)) } }
  })

  handle(app, routes.getChangeReport, async ({ query, caller: { organizationId }, db }) => {
    const range = rangeOf(query, clock())
    const rows = await readChanges(db, { ...query, ...range, organizationId }, maxReportRows + 1)
    rejectTooLarge(rows)
    return { data: { ...momentsOf(range), rows } }
  })
}

type Range = { start: Date; end: Date }

function rangeOf({ startTime, endTime }: { startTime?: string; endTime?: string }, now: Date): Range {
  const end = endTime === undefined ? now : new Date(endTime)
  const start = startTime === undefined ? new Date(end.getTime() - usualDays * dayMs) : new Date(startTime)
  const isMoment = ({ time }: { time: Date }) => !Number.isNaN(time.getTime())
  const wrong = [
    ...[
      { name: 'startTime', time: start },
      { name: 'endTime', time: end },
    ].flatMap((one) => (isMoment(one) ? [] : [`$.${one.name}: expected a moment that there is`])),
    ...(end <= start ? ['$.endTime: expected a moment after startTime'] : []),
    ...(end.getTime() - start.getTime() > maxReportDays * dayMs
      ? [`$.startTime: expected at most ${maxReportDays} days before endTime`]
      : []),
  ]
  if (wrong.length > 0) throw requestInvalid(listed('Query', wrong))
  return { start, end }
}

const momentsOf = ({ start, end }: Range) => ({ startTime: start.toISOString(), endTime: end.toISOString() })

/** Fills in rows for empty intervals if the report is not grouped, so that charts have no gaps. */
function divided<Row extends { startTime: string }, None extends object>(
  { interval, groupBy }: { interval: ReportInterval; groupBy?: string },
  range: Range,
  rows: Row[],
  none: None,
) {
  rejectTooLarge(rows)
  const filled = () => {
    const byBegin = new Map(rows.map((row) => [row.startTime, row]))
    return intervalsIn(range, interval).map((startTime) => byBegin.get(startTime) ?? { startTime, ...none })
  }
  return { ...momentsOf(range), interval, rows: groupBy === undefined ? filled() : rows }
}

function rejectTooLarge(rows: unknown[]): void {
  if (rows.length <= maxReportRows) return
  const remedy = 'Ask for less time, a longer interval, or for one project, environment, instance or pipeline.'
  throw new ApiError('reportTooLarge', `The report would have more than ${maxReportRows} rows. ${remedy}`)
}
