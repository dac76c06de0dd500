import type { PolicyVerdict } from '@sluice/contract'
import { judge, refuseIfStopped } from '../../gates/policies/judge.ts'
import { recordPolicyWarnings } from '../../gates/warnings.ts'
import type { Db } from '../../platform/db/open.ts'
import type { PipelineRow } from '../pipelines/tables.ts'
import type { PipelineConfig } from './config/schema.ts'
import { subjectsOf } from './policy-subjects.ts'

type Judgement = {
  verdicts: PolicyVerdict[]
  recordWarnings: (tx: Db, pipelineVersionId: string) => Promise<void>
}

type Written = { pipeline: PipelineRow; config: PipelineConfig; writtenById: string }

/**
 * Evaluates the policies for a version that is about to be stored, and rejects one that a policy denies. Call
 * `recordWarnings` in the transaction that stores it.
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
    recordWarnings: (tx, pipelineVersionId) =>
      recordPolicyWarnings(tx, organizationId, verdicts, { pipelineId: id, pipelineVersionId }),
  }
}
