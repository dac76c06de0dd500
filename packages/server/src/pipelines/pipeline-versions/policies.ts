import type { PolicyVerdict } from '@sluice/contract'
import { rejectIfDenied } from '../../gates/denials.ts'
import { evaluateGates, gateRules } from '../../gates/load.ts'
import { recordWarnings } from '../../gates/warnings.ts'
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
export async function evaluateVersionPolicies(
  db: Db,
  { pipeline, config, writtenById }: Written,
  now: Date,
): Promise<Judgement> {
  const { organizationId, id, projectId } = pipeline
  const variables = async () => {
    const [subject = {}] = await subjectsOf(db, organizationId, [{ pipeline, config, writtenById, writtenAt: now }])
    return subject
  }
  const scope = { projectId, pipelineId: id }
  const policy = { guards: 'PIPELINE_VERSIONS', isRollback: false, before: [], variables } as const
  const found = await evaluateGates(gateRules(db, organizationId), { moment: 'VERSION', scope, policy }, now)
  rejectIfDenied(found.decision, { pipelineId: id })
  return {
    verdicts: found.verdicts ?? [],
    recordWarnings: (tx, pipelineVersionId) =>
      recordWarnings(tx, organizationId, found.warnings, { pipelineId: id, pipelineVersionId }),
  }
}
