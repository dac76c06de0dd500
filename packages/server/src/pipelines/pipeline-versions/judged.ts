import { judge, noteWarnings, refuseIfStopped } from '../../delivery/policies/judge.ts'
import type { Db } from '../../platform/db/open.ts'
import type { PipelineRow } from '../pipelines/tables.ts'
import type { PipelineConfig } from './config/schema.ts'
import { subjectsOf } from './policy-subjects.ts'

type Written = { pipeline: PipelineRow; config: PipelineConfig; writtenById: string }

/** Refuses a version that a policy stops; notes those that only warn, once it is known what to note. */
export async function judgeVersion(
  db: Db,
  { pipeline, config, writtenById }: Written,
  now: Date,
): Promise<(tx: Db, pipelineVersionId: string) => Promise<void>> {
  const { organizationId, id, projectId } = pipeline
  const verdicts = await judge(db, {
    organizationId,
    guards: 'PIPELINE_VERSIONS',
    place: { projectId },
    isRollback: false,
    now,
    subject: async () => {
      const [subject = {}] = await subjectsOf(db, organizationId, [{ pipeline, config, writtenById, writtenAt: now }])
      return subject
    },
  })
  refuseIfStopped(verdicts, { pipelineId: id })
  return (tx, pipelineVersionId) => noteWarnings(tx, organizationId, verdicts, { pipelineId: id, pipelineVersionId })
}
