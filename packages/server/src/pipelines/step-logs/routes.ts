import { Readable } from 'node:stream'
import { routes, type StepLogChunk, unfinishedStepStatuses } from '@sluice/contract'
import type { Logger } from 'pino'
import type { Db } from '../../platform/db/open.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { missing } from '../../platform/http/references.ts'
import { readable } from '../../platform/http/unreadable.ts'
import { findPipelineStepExecution } from '../pipeline-step-executions/store.ts'
import type { PipelineStepExecutionRow, StepLogChunkRow } from '../pipelines/tables.ts'
import type { Bell } from './bell.ts'
import { logEvents } from './events.ts'
import type { LogReader } from './read.ts'

/** How often a followed log is looked at that another process writes. Milliseconds. */
const lookMs = 500
/** Read at once for a stream: a few hundred KiB. */
const chunksAtOnce = 8

type StepLogParts = { bell: Bell; logReader: LogReader; log: Logger }

/** Shows what steps write, while they do and afterwards. */
export function serveStepLogs(app: App, { bell, logReader, log }: StepLogParts): void {
  const closing = new AbortController()
  const unlessUnreadable = { log, refusal: 'stepLogUnreadable', what: 'The log' } as const
  app.addHook('preClose', async () => closing.abort()) // a stream would keep the server from ending

  handle(app, routes.getPipelineStepExecutionLogs, async ({ params, query: { cursor = '0', limit }, caller, db }) => {
    const { organizationId } = caller
    const step = await stepNamed(db, organizationId, params.id)
    const chunks = await readable(
      unlessUnreadable,
      logReader.list(db, organizationId, step.id, { after: Number(cursor), limit: limit + 1 }),
    )
    const data = chunks.slice(0, limit).map(toWire)
    const nextCursor = String(data.at(-1)?.sequence ?? cursor)
    // The step was read first: what an attempt writes, it writes before its end.
    return { data, meta: { limit, nextCursor, isComplete: isOver(step) && chunks.length <= limit } }
  })

  handle(app, routes.streamPipelineStepExecutionLogs, async ({ params, query, caller, db, request, reply }) => {
    const { organizationId } = caller
    const step = await stepNamed(db, organizationId, params.id)
    const { id } = step
    const from = Number(lastEventId(request.headers['last-event-id']) ?? query.cursor ?? 0)
    // While it can still be refused: a stream that has begun could only break off.
    if (isOver(step))
      await readable(unlessUnreadable, logReader.list(db, organizationId, id, { after: from, limit: chunksAtOnce }))
    reply.headers({
      'x-accel-buffering': 'no', // proxies are not to collect it
      connection: 'close', // when it ends because the server stops, nothing keeps the connection
    })
    const followed = {
      chunksAfter: async (after: number) =>
        (await logReader.list(db, organizationId, id, { after, limit: chunksAtOnce })).map(toWire),
      isOver: async () => isOver(await findPipelineStepExecution(db, organizationId, id)),
      wait: () => bell.heard(id, lookMs, closing.signal),
    }
    return Readable.from(logEvents(followed, from, closing.signal))
  })
}

async function stepNamed(db: Db, organizationId: string, id: string): Promise<PipelineStepExecutionRow> {
  const step = await findPipelineStepExecution(db, organizationId, id)
  if (step) return step
  throw missing('pipelineStepExecutionNotFound', 'step execution', id)
}

/** A step that is gone writes nothing more either. */
const isOver = (step: PipelineStepExecutionRow | undefined): boolean =>
  !step || !unfinishedStepStatuses.includes(step.status)

/** The header is the browser's to send; one that is no number of ours counts as none. */
const lastEventId = (header: string | string[] | undefined): string | undefined =>
  typeof header === 'string' && /^\d{1,9}$/.test(header) ? header : undefined

const toWire = ({ sequence, attemptEpoch, writtenAt, text }: StepLogChunkRow): StepLogChunk => ({
  sequence,
  attempt: attemptEpoch,
  writtenAt: writtenAt.toISOString(),
  text,
})
