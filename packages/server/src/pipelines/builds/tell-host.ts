import type { OrderedSource } from '@sluice/contract/runner-protocol'
import { findCodeSource } from '../../git/code-sources/store.ts'
import type { Db } from '../../platform/db/open.ts'
import { beginFeedbackOfRun } from '../git-feedback/store.ts'
import type { PipelineStepExecutionRow } from '../pipelines/tables.ts'
import { findRunOf } from '../runner/claim.ts'

type Told = {
  step: Pick<PipelineStepExecutionRow, 'organizationId' | 'pipelineRunId' | 'id'>
  source: OrderedSource
  commit: string
}

/**
 * Has the git host told how the run of a build stands, at the commit that is built: whoever looks at a commit sees what
 * became of it, also where no push set the run off. Told again it changes nothing.
 */
export async function tellHostOfBuild(db: Db, { step, source, commit }: Told, now: Date): Promise<void> {
  if (!('url' in source) || source.codeSourceId === undefined) return
  const connected = await findCodeSource(db, step.organizationId, source.codeSourceId)
  if (!connected) return
  const { id: pipelineRunId, pipelineId } = await findRunOf(db, step)
  const branch = source.ref ?? connected.defaultBranch ?? ''
  await beginFeedbackOfRun(db, connected, { pipelineRunId, pipelineId, branch, commit }, now)
}
