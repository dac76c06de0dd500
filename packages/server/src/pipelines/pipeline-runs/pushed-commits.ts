import type { GitHosts } from '../../git/adapter/hosts.ts'
import { commitUrls } from '../../git/code-sources/commit-urls.ts'
import { findCodeSources } from '../../git/code-sources/store.ts'
import { and, eq, inArray } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { present } from '../../platform/present.ts'
import { type PipelineRunRow, pipelineRuns } from '../pipelines/tables.ts'

/** Commit whose push started a run, as the Git host reported it. */
export type PushedCommit = {
  commit: string
  branch?: string
  committedAt?: string
  author?: string
  message?: string
  repository?: string
  url?: string
}

/** Maximum length of a chain of pipelines that start each other. */
const maxChainLength = 10

/** Returns the pushed commits that started these runs, directly or through a chain of runs, by run id. */
export async function pushedCommits(
  hosts: GitHosts,
  db: Db,
  organizationId: string,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, PushedCommit>> {
  const payloads = new Map<string, Payload>()
  // By the run of the chain that may know the commit; values are the requested runs.
  let sought = new Map(runIds.map((id) => [id, id]))
  for (let hop = 0; hop <= maxChainLength && sought.size > 0; hop += 1) {
    const rows = await triggersOf(db, organizationId, [...new Set(sought.values())])
    const next = new Map<string, string>()
    for (const [runId, at] of sought) {
      const { trigger } = rows.get(at) ?? {}
      const before: unknown = Reflect.get(Object(trigger?.payload?.run), 'id')
      if (typeof trigger?.payload?.commit === 'string') payloads.set(runId, trigger.payload)
      else if (typeof before === 'string') next.set(runId, before)
    }
    sought = next
  }
  const sourceIds = [...payloads.values()].map(({ code_source_id }) => textIn(code_source_id))
  const known = sourceIds.filter((id) => id !== undefined)
  const sources = await findCodeSources(db, organizationId, [...new Set(known)])
  const urlOf = await commitUrls(db, hosts, organizationId, sources)
  const told = new Map<string, PushedCommit>()
  for (const [runId, payload] of payloads) {
    const commit = String(payload.commit)
    const source = sources.find(({ id }) => id === payload.code_source_id)
    told.set(
      runId,
      present({
        commit,
        branch: textIn(payload.branch),
        committedAt: textIn(payload.committed_at),
        author: textIn(payload.author),
        message: textIn(payload.message),
        repository: source?.repoUrl,
        url: source && urlOf(source, commit),
      }),
    )
  }
  return told
}

type Payload = Record<string, unknown>

const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

async function triggersOf(
  db: Db,
  organizationId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Pick<PipelineRunRow, 'trigger'>>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .select({ id: pipelineRuns.id, trigger: pipelineRuns.trigger })
    .from(pipelineRuns)
    .where(and(eq(pipelineRuns.organizationId, organizationId), inArray(pipelineRuns.id, [...ids])))
  return new Map(rows.map((row) => [row.id, row]))
}
