import type { Message } from '../../platform/engine/messages.ts'

/** Name of the engine object for reports of runs, keyed by pipeline id to serialize the comments of a pipeline. */
export const feedbackService = 'git-feedback'
export const tellHandler = 'tell'

export type ReportRequest = { ids: string[] }

export function feedbackMessages(rows: { id: string; pipelineId: string }[]): Message[] {
  const byPipeline = Map.groupBy(rows, ({ pipelineId }) => pipelineId)
  return [...byPipeline].map(([key, some]) => ({
    service: feedbackService,
    key,
    handler: tellHandler,
    payload: { ids: some.map(({ id }) => id) } satisfies ReportRequest,
  }))
}
