import type { Db } from '../../platform/db/open.ts'
import type { PipelineTrigger } from '../pipeline-versions/config/schema.ts'
import { changesOne, fits, toldPaths } from './push.ts'
import { runsFor } from './runs-for.ts'
import type { TriggerParts } from './start-triggered.ts'

/** What became of a pull request in a code source; never one from a fork. */
export type AskedFor = {
  organizationId: string
  codeSourceId: string
  number: number
  /** As the first host calls it. */
  action: string
  branch: string
  commit: string
  /** The one that it is to be merged into. */
  baseBranch: string
  /** Of the files that it changes; null where the git host does not tell: then it may be any. */
  changedPaths: string[] | null
  /** For people. */
  by: string
}

type RequestTrigger = Extract<PipelineTrigger, { type: 'pull_request' }>

/** What brings commits: more would run for a changed title. */
const usualActions = ['opened', 'synchronize', 'reopened']

/** Whether it is one of those that a trigger waits for. */
export function isAskedFor(
  { code_source_id, branches = ['**'], paths, actions = [] }: RequestTrigger,
  { codeSourceId, baseBranch, action, changedPaths }: Omit<AskedFor, 'organizationId' | 'number' | 'commit' | 'by'>,
): boolean {
  const wanted: readonly string[] = actions.length === 0 ? usualActions : actions
  if (code_source_id !== codeSourceId || !wanted.includes(action)) return false
  return fits(branches, baseBranch) && changesOne(paths, changedPaths)
}

/** Starts a run of each pipeline that waits for it; the ids of the runs that the engine is to be told of. */
export function runsForRequest(tx: Db, asked: AskedFor, parts: TriggerParts, now: Date): Promise<string[]> {
  const { organizationId, codeSourceId, number, action, branch, commit, baseBranch, changedPaths, by } = asked
  const payload = {
    code_source_id: codeSourceId,
    ...{ number, action, branch, commit },
    base_branch: baseBranch,
    changed_paths: changedPaths?.slice(0, toldPaths) ?? null,
  }
  const news = {
    organizationId,
    kind: 'pull_request',
    codeSourceId,
    waits: (trigger: PipelineTrigger) => trigger.type === 'pull_request' && isAskedFor(trigger, asked),
    trigger: { kind: 'pull_request', payload },
    triggeredBy: `${by}, by the pull request ${number}`,
  } as const
  return runsFor(tx, news, parts, now)
}
