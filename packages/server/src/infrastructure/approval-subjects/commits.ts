import type { ApprovalCommit } from '@sluice/contract'
import type { GitHosts } from '../../git/adapter/hosts.ts'
import { commitUrls } from '../../git/code-sources/commit-urls.ts'
import { findCodeSource, findCodeSourcesAt, isAtAddress } from '../../git/code-sources/store.ts'
import type { PipelineRunRow } from '../../pipelines/pipelines/tables.ts'
import type { Db } from '../../platform/db/open.ts'
import { present } from '../../platform/present.ts'
import type { Planned } from './plans.ts'

/** Returns the commits of the plans and of the push that triggered the run, without duplicates. */
export async function commitsOf(
  db: Db,
  hosts: GitHosts,
  { organizationId, trigger }: PipelineRunRow,
  plans: readonly Planned[],
): Promise<ApprovalCommit[]> {
  const { code_source_id, branch, commit } = trigger?.payload ?? {}
  const pushedTo =
    typeof code_source_id === 'string' ? await findCodeSource(db, organizationId, code_source_id) : undefined
  const planned = plans.map(({ source: { url, ref, commit } }) => commitAt(url, ref, commit))
  const all = [...planned, commitAt(pushedTo?.repoUrl, branch, commit)].filter((one) => one !== undefined)
  const connected = await findCodeSourcesAt(
    db,
    organizationId,
    all.flatMap(({ repository }) => repository ?? []),
  )
  const urlOf = await commitUrls(db, hosts, organizationId, connected)
  const linked = all.map((one): ApprovalCommit => {
    const source = connected.find((source) => isAtAddress(source, one.repository))
    return { ...one, ...(source && { url: urlOf(source, one.commit) }) }
  })
  return [...new Map(linked.map((one) => [one.commit, one])).values()]
}

function commitAt(repository: unknown, ref: unknown, commit: unknown): ApprovalCommit | undefined {
  if (typeof commit !== 'string') return undefined
  return present({
    commit,
    repository: typeof repository === 'string' ? repository : undefined,
    ref: typeof ref === 'string' ? ref : undefined,
  })
}
