import type { PolicyVerdict } from '@sluice/contract'
import { judge, noteWarnings, refuseIfStopped } from '../../gates/policies/judge.ts'
import type { Db } from '../../platform/db/open.ts'
import type { PipelineRow } from '../pipelines/tables.ts'
import type { PipelineConfig } from './config/schema.ts'
import { subjectsOf } from './policy-subjects.ts'

type Judgement = {
  verdicts: PolicyVerdict[]
  noteWarnings: (tx: Db, pipelineVersionId: string) => Promise<void>
}

type Written = { pipeline: PipelineRow; config: PipelineConfig; writtenById: string }

/**
 * What policies say of a version that is about to be stored; one that a policy stops is refused. `noteWarnings` is for
 * when it is known what to note them of.
 */
export async function judgeVersion(db: Db, { pipeline, config, writtenById }: Written, now: Date): Promise<Judgement> {
  const { organizationId, id, projectId } = pipeline
  const verdicts = await judge(db, {
    organizationId,
    guards: 'PIPELINE_VERSIONS',
    place: { projectId, pipelineId: id },
    isRollback: false,
    now,
    subject: async () => {
      const [subject = {}] = await subjectsOf(db, organizationId, [{ pipeline, config, writtenById, writtenAt: now }])
      return subject
    },
  })
  refuseIfStopped(verdicts, { pipelineId: id })
  return {
    verdicts,
    noteWarnings: (tx, pipelineVersionId) =>
      noteWarnings(tx, organizationId, verdicts, { pipelineId: id, pipelineVersionId }),
  }
}
