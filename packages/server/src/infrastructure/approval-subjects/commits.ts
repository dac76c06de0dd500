import type { ApprovalCommit } from '@sluice/contract'
import { findCodeSource } from '../../git/code-sources/store.ts'
import type { PipelineRunRow } from '../../pipelines/pipelines/tables.ts'
import type { Db } from '../../platform/db/open.ts'
import { present } from '../../platform/present.ts'
import type { Planned } from './plans.ts'

/** The commits that were planned and the one whose push set the run off, each once. */
export async function commitsOf(
  db: Db,
  { organizationId, trigger }: PipelineRunRow,
  plans: readonly Planned[],
): Promise<ApprovalCommit[]> {
  const ofPlans = plans.map(({ source: { url, ref, commit } }) => commitAt(url, ref, commit))
  const { code_source_id, branch, commit } = trigger?.payload ?? {}
  const codeSource = typeof code_source_id === 'string' && (await findCodeSource(db, organizationId, code_source_id))
  const pushed = commitAt(codeSource ? codeSource.repoUrl : undefined, branch, commit)
  const all = [...ofPlans, pushed].filter((one) => one !== undefined)
  return [...new Map(all.map((one) => [one.commit, one])).values()]
}

function commitAt(repository: unknown, ref: unknown, commit: unknown): ApprovalCommit | undefined {
  if (typeof commit !== 'string') return undefined
  return present({
    commit,
    repository: typeof repository === 'string' ? repository : undefined,
    ref: typeof ref === 'string' ? ref : undefined,
  })
}
