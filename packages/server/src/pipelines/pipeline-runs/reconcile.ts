import { overdueIn } from '../../platform/engine/overdue.ts'
import { pipelineRuns, pipelineStepExecutions } from '../pipelines/tables.ts'
import { toRun, toStep } from './wake.ts'

/** The messages of the runs whose wake-up is overdue. */
export const overdueRuns = overdueIn(pipelineRuns, ({ id, wakeSeq }) => toRun(id, { seq: wakeSeq }))

/** The same of their steps that a worker carries out. */
export const overdueSteps = overdueIn(pipelineStepExecutions, ({ id }) => toStep(id))
