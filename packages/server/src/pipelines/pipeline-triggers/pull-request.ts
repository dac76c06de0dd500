import type { Db } from '../../platform/db/open.ts'
import type { PipelineTrigger } from '../pipeline-versions/config/schema.ts'
import { fits, matchesChangedPaths, maxPayloadPaths } from './push.ts'
import { runsFor } from './runs-for.ts'
import type { TriggerParts } from './start-triggered.ts'

/** Pull request event in a code source, never from a fork. */
export type PullRequestUpdate = {
  organizationId: string
  codeSourceId: string
  number: number
  /** Action in the terms of the first host. */
  action: string
  branch: string
  commit: string
  /** Branch to merge into. */
  baseBranch: string
  /** Changed paths; null if the Git host does not list them, which matches any path. */
  changedPaths: string[] | null
  /** Display name. */
  by: string
}

type RequestTrigger = Extract<PipelineTrigger, { type: 'pull_request' }>

/** Default actions: those that add commits. */
const defaultActions = ['opened', 'synchronize', 'reopened']

/** Reports whether a pull request event matches a trigger. */
export function matchesPullRequest(
  { code_source_id, branches = ['**'], paths, actions = [] }: RequestTrigger,
  {
    codeSourceId,
    baseBranch,
    action,
    changedPaths,
  }: Omit<PullRequestUpdate, 'organizationId' | 'number' | 'commit' | 'by'>,
): boolean {
  const wanted: readonly string[] = actions.length === 0 ? defaultActions : actions
  if (code_source_id !== codeSourceId || !wanted.includes(action)) return false
  return fits(branches, baseBranch) && matchesChangedPaths(paths, changedPaths)
}

/** Starts a run of each pipeline with a matching trigger; returns the ids of the runs for the engine. */
export function runsForRequest(tx: Db, asked: PullRequestUpdate, parts: TriggerParts, now: Date): Promise<string[]> {
  const { organizationId, codeSourceId, number, action, branch, commit, baseBranch, changedPaths, by } = asked
  const payload = {
    code_source_id: codeSourceId,
    number,
    action,
    branch,
    commit,
    base_branch: baseBranch,
    changed_paths: changedPaths?.slice(0, maxPayloadPaths) ?? null,
  }
  const news = {
    organizationId,
    kind: 'pull_request',
    codeSourceId,
    waits: (trigger: PipelineTrigger) => trigger.type === 'pull_request' && matchesPullRequest(trigger, asked),
    trigger: { kind: 'pull_request', payload },
    triggeredBy: `${by}, by the pull request ${number}`,
  } as const
  return runsFor(tx, news, parts, now)
}
