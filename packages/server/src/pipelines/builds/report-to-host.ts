import type { OrderedSource } from '@sluice/contract/runner-protocol'
import { findCodeSource } from '../../git/code-sources/store.ts'
import type { Db } from '../../platform/db/open.ts'
import { startStatusReportsOfRun } from '../git-feedback/store.ts'
import type { PipelineStepExecutionRow } from '../pipelines/tables.ts'
import { findRunOf } from '../runner/claim.ts'

type BuildReport = {
  step: Pick<PipelineStepExecutionRow, 'organizationId' | 'pipelineRunId' | 'id'>
  source: OrderedSource
  commit: string
}

/**
 * Reports the run's status at the commit that it builds to the Git host, also if no push started the run. Idempotent.
 */
export async function reportBuildToHost(db: Db, { step, source, commit }: BuildReport, now: Date): Promise<void> {
  if (!('url' in source) || source.codeSourceId === undefined) return
  const connected = await findCodeSource(db, step.organizationId, source.codeSourceId)
  if (!connected) return
  const { id: pipelineRunId, pipelineId } = await findRunOf(db, step)
  const branch = source.ref ?? connected.defaultBranch ?? ''
  await startStatusReportsOfRun(db, connected, { pipelineRunId, pipelineId, branch, commit }, now)
}
