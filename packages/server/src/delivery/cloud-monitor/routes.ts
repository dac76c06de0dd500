import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { apiErrors, type ModuleInstanceLogLine, routes, type UserFacingError } from '@sluice/contract'
import type { Cloud, CloudClients } from '../../cloud/adapter/access.ts'
import { searchLog } from '../../cloud/adapter/logs.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { requestInvalid } from '../../platform/http/input.ts'
import { listed } from '../../platform/http/listed.ts'
import { SharedLogReads } from './followed-logs.ts'
import { logSourceOf, readLogPage } from './logs.ts'
import { readViews } from './metrics.ts'
import { OpenTails } from './open-tails.ts'
import { logRange, metricRange, type RangeOrFault } from './range.ts'
import { clientsOf, findLogView, findMetricViews, type LogView, withApiErrors } from './sources.ts'
import { type LogRead, pollMs, type TailPosition, tailEvents } from './tail.ts'

type Parts = { cloud: Cloud; clock: () => Date }

/** Serves the current logs and metrics of module instances from the cloud. */
export function serveCloudMonitor(app: App, { cloud, clock }: Parts): void {
  handle(app, routes.getModuleInstanceLogs, async ({ params: { id }, query, caller, db }) => {
    const { sourceId, filter, cursor, limit } = query
    const where = cursor ?? faultless(logRange(query, clock()))
    const view = await findLogView(db, caller.organizationId, id, sourceId)
    if (!view) return { data: [], meta: { limit, nextCursor: '' } }
    const clients = await clientsOf(db, cloud, caller.organizationId, view.source)
    return withApiErrors('log', () => readLogPage(clients, { instanceId: id, view, filter, limit }, where))
  })

  handle(app, routes.getModuleInstanceMetrics, async ({ params: { id }, query, caller, db }) => {
    const { organizationId } = caller
    const range = faultless(metricRange(query, clock()))
    const views = await findMetricViews(db, organizationId, id, query.metricId)
    const { start, end, periodSeconds } = range
    return {
      data: await readViews({ db, cloud, organizationId }, views, range),
      meta: { startTime: start.toISOString(), endTime: end.toISOString(), periodSeconds },
    }
  })

  serveTail(app, { cloud, clock })
}

function serveTail(app: App, { cloud, clock }: Parts): void {
  const closing = new AbortController()
  const tails = new OpenTails()
  const looks = new SharedLogReads(pollMs, () => performance.now())
  app.addHook('preClose', async () => closing.abort()) // an open stream would block the shutdown

  handle(app, routes.streamModuleInstanceLogs, async ({ params: { id }, query, caller, db, request, reply }) => {
    const { organizationId } = caller
    const find = () => findLogView(db, organizationId, id, query.sourceId)
    const view = await find()
    if (view) await clientsOf(db, cloud, organizationId, view.source)
    const close = view ? tails.open(organizationId, nameOf(organizationId, view, query.filter)) : () => {}
    reply.headers({ 'x-accel-buffering': 'no', connection: 'close' }) // same headers as for the log of a step
    const followed = {
      linesFrom: (from: number) =>
        orError(async () => {
          const present = await find()
          if (!present) return undefined
          const clients = await clientsOf(db, cloud, organizationId, present.source)
          const look = (since: number) => newLines(clients, present, query.filter, since, clock())
          return withApiErrors('log', () => looks.linesFrom(nameOf(organizationId, present, query.filter), from, look))
        }),
      wait: (ms: number) => sleep(ms, undefined, { signal: closing.signal }).catch(() => {}),
    }
    const place = placeIn(request.headers['last-event-id']) ?? { at: clock().getTime() }
    return Readable.from(tailEvents(followed, place, closing.signal)).once('close', close)
  })
}

/** Returns the key of a followed log. Instances that show the same lines share it within an organization. */
const nameOf = (organizationId: string, view: LogView, filter: string | undefined): string =>
  JSON.stringify([organizationId, view.source.cloud_account_id, view.source.region, logSourceOf(view, filter)])

/** Maximum number of lines of one read; the next read continues after them. */
const linesAtOnce = 1_000
const pagesAtOnce = 5

async function newLines(
  { logs }: CloudClients,
  view: LogView,
  filter: string | undefined,
  from: number,
  now: Date,
): Promise<LogRead> {
  const source = logSourceOf(view, filter)
  const lines: ModuleInstanceLogLine[] = []
  let nextToken: string | undefined
  for (let page = 0; page < pagesAtOnce; page += 1) {
    const search = { from, until: now.getTime(), order: 'oldest-first', limit: linesAtOnce, nextToken } as const
    const found = await searchLog(logs, source, search)
    lines.push(...found.lines)
    nextToken = found.nextToken
    if (nextToken === undefined) break
  }
  return { lines, hasMore: nextToken !== undefined && lines.length > 0 }
}

/** Converts an error to an event of the stream, and a missing log to undefined. */
async function orError<T>(look: () => Promise<T>): Promise<T | { trouble: UserFacingError } | undefined> {
  try {
    return await look()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.key === 'moduleInstanceNotFound' || error.key === 'monitorSourceNotFound') return undefined
    return { trouble: { code: apiErrors[error.key].code, message: error.message } }
  }
}

/** Parses the header, which the browser sends. An unknown format counts as absent. */
function placeIn(header: string | string[] | undefined): TailPosition | undefined {
  const [, at, id] = /^(\d{1,15})\.(.{1,200})$/.exec(String(header ?? '')) ?? []
  return at === undefined || id === undefined ? undefined : { at: Number(at), id }
}

function faultless<T extends object>(range: RangeOrFault<T>): T {
  if ('fault' in range) throw requestInvalid(listed('Query', [range.fault]))
  return range
}
