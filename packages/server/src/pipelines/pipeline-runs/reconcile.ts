import type { Db } from '../../platform/db/open.ts'
import type { Message } from '../../platform/engine/messages.ts'
import { claimOverdue } from '../../platform/engine/overdue.ts'
import { pipelineRuns, pipelineStepExecutions } from '../pipelines/tables.ts'
import { toRun, toStep } from './wake.ts'

/** The messages of the runs, and of their steps that a worker carries out, whose wake-up is overdue. */
export async function overdueRuns(db: Db, now: Date): Promise<Message[]> {
  const runs = await claimOverdue(db, pipelineRuns, now)
  const steps = await claimOverdue(db, pipelineStepExecutions, now)
  return [...runs.map(({ id, wakeSeq }) => toRun(id, { seq: wakeSeq })), ...steps.map(({ id }) => toStep(id))]
}
