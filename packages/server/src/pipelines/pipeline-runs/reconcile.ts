import { overdueIn } from '../../platform/engine/overdue.ts'
import { pipelineRuns, pipelineStepExecutions } from '../pipelines/tables.ts'
import { runService, stepService, toRun, toStep } from './wake.ts'

/** Finds overdue runs and returns their messages. */
export const overdueRuns = overdueIn(pipelineRuns, {
  service: runService,
  messagesOf: (rows) => rows.map(({ id, wakeSeq }) => toRun(id, { seq: wakeSeq })),
})

/** Finds overdue steps of workers and returns their messages. */
export const overdueSteps = overdueIn(pipelineStepExecutions, {
  service: stepService,
  messagesOf: (rows) => rows.map(({ id }) => toStep(id)),
})
