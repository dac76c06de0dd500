import { overdueIn } from '../../platform/engine/overdue.ts'
import { pipelineRuns, pipelineStepExecutions } from '../pipelines/tables.ts'
import { runService, stepService, toRun, toStep } from './wake.ts'

/** The messages of the runs whose wake-up is overdue. */
export const overdueRuns = overdueIn(pipelineRuns, {
  service: runService,
  messagesOf: (rows) => rows.map(({ id, wakeSeq }) => toRun(id, { seq: wakeSeq })),
})

/** The same of their steps that a worker carries out. */
export const overdueSteps = overdueIn(pipelineStepExecutions, {
  service: stepService,
  messagesOf: (rows) => rows.map(({ id }) => toStep(id)),
})
