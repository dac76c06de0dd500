import { judge, noteWarnings, refuseIfStopped } from '../../delivery/policies/judge.ts'
import { nowSeen, placesSeen, startersSeen } from '../../delivery/policies/seen.ts'
import type { Db } from '../../platform/db/open.ts'
import type { PipelineRow } from '../pipelines/tables.ts'
import type { PipelineConfig } from './config/schema.ts'
import { needsOf } from './config/steps.ts'

type Written = { pipeline: PipelineRow; config: PipelineConfig; writtenById: string }

/** Refuses a version that a policy stops; notes those that only warn, once it is known what to note. */
export async function judgeVersion(
  db: Db,
  { pipeline, config, writtenById }: Written,
  now: Date,
): Promise<(tx: Db, pipelineVersionId: string) => Promise<void>> {
  const { organizationId, id, givenId, name, projectId } = pipeline
  const verdicts = await judge(db, {
    organizationId,
    guards: 'PIPELINE_VERSIONS',
    place: { projectId },
    isRollback: false,
    now,
    subject: async () => {
      const { project } = (await placesSeen(db, organizationId, [pipeline]))(pipeline)
      const starter = (await startersSeen(db, organizationId, [writtenById]))(writtenById)
      const { steps, triggers = [] } = config
      const seen = steps.map((step, index) => ({
        ...{ id: step.id, name: step.name ?? step.id, type: step.type, needs: needsOf(steps, index) },
        asksApproval: step.approval !== undefined || step.type === 'approval',
      }))
      const pipelineSeen = { id, givenId, name, steps: seen, triggers: triggers.map(({ type }) => type) }
      return { pipeline: pipelineSeen, project, starter, now: nowSeen(now) }
    },
  })
  refuseIfStopped(verdicts)
  return (tx, pipelineVersionId) => noteWarnings(tx, organizationId, verdicts, { pipelineId: id, pipelineVersionId })
}
