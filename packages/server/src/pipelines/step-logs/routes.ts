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
import { logEvents } from './events.ts'
import type { LogNotifier } from './notifier.ts'
import type { LogReader } from './read.ts'

/** Polling interval of a followed log that another process writes, in milliseconds. */
const lookMs = 500
/** Number of chunks per read of a stream: a few hundred KiB. */
const chunksAtOnce = 8

type StepLogParts = { bell: LogNotifier; logReader: LogReader; log: Logger }

/** Serves the logs of steps, during and after their execution. */
export function serveStepLogs(app: App, { bell, logReader, log }: StepLogParts): void {
  const closing = new AbortController()
  const unlessUnreadable = { log, apiError: 'stepLogUnreadable', what: 'The log' } as const
  app.addHook('preClose', async () => closing.abort()) // an open stream would block the shutdown

  handle(app, routes.getPipelineStepExecutionLogs, async ({ params, query: { cursor = '0', limit }, caller, db }) => {
    const { organizationId } = caller
    const step = await stepNamed(db, organizationId, params.id)
    const chunks = await readable(
      unlessUnreadable,
      logReader.list(db, organizationId, step.id, { after: Number(cursor), limit: limit + 1 }),
    )
    const data = chunks.slice(0, limit).map(toWire)
    const nextCursor = String(data.at(-1)?.sequence ?? cursor)
    // The step was loaded first, and an attempt writes its log before its end.
    return { data, meta: { limit, nextCursor, isComplete: isOver(step) && chunks.length <= limit } }
  })

  handle(app, routes.streamPipelineStepExecutionLogs, async ({ params, query, caller, db, request, reply }) => {
    const { organizationId } = caller
    const step = await stepNamed(db, organizationId, params.id)
    const { id } = step
    const from = Number(lastEventId(request.headers['last-event-id']) ?? query.cursor ?? 0)
    // Before the stream starts, because then an error can still be returned.
    if (isOver(step))
      await readable(unlessUnreadable, logReader.list(db, organizationId, id, { after: from, limit: chunksAtOnce }))
    reply.headers({
      'x-accel-buffering': 'no', // proxies must not buffer it
      connection: 'close', // closes the connection when the server stops
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

/** Reports whether a step writes nothing more; a deleted one does not either. */
const isOver = (step: PipelineStepExecutionRow | undefined): boolean =>
  !step || !unfinishedStepStatuses.includes(step.status)

/** Parses the header, which the browser sends. An unknown format counts as absent. */
const lastEventId = (header: string | string[] | undefined): string | undefined =>
  typeof header === 'string' && /^\d{1,9}$/.test(header) ? header : undefined

const toWire = ({ sequence, attemptEpoch, writtenAt, text }: StepLogChunkRow): StepLogChunk => ({
  sequence,
  attempt: attemptEpoch,
  writtenAt: writtenAt.toISOString(),
  text,
})
