import type { Db } from '../../platform/db/open.ts'
import type { PipelineTrigger } from '../pipeline-versions/config/schema.ts'
import { fits, matchesChangedPaths, maxPayloadPaths } from './push.ts'
import { runsFor } from './runs-for.ts'
import type { TriggerParts } from './start-triggered.ts'

/** Pull requests that a merge queue is about to merge, as one commit to check. */
export type MergeGroup = {
  organizationId: string
  codeSourceId: string
  /** Temporary branch of the commit. */
  branch: string
  commit: string
  /** Branch to merge into. */
  baseBranch: string
  /** Changed paths; null if the Git host does not list them, which matches any path. */
  changedPaths: string[] | null
  /** Display name. */
  by: string
}

type MergeGroupTrigger = Extract<PipelineTrigger, { type: 'merge_group' }>

/** Reports whether a merge group matches a trigger. */
export const matchesMergeGroup = (
  { code_source_id, branches = ['**'], paths }: MergeGroupTrigger,
  { codeSourceId, baseBranch, changedPaths }: Pick<MergeGroup, 'codeSourceId' | 'baseBranch' | 'changedPaths'>,
): boolean => code_source_id === codeSourceId && fits(branches, baseBranch) && matchesChangedPaths(paths, changedPaths)

/** Starts a run of each pipeline with a matching trigger; returns the IDs of the runs. */
export function runsForMergeGroup(tx: Db, group: MergeGroup, parts: TriggerParts, now: Date): Promise<string[]> {
  const { organizationId, codeSourceId, branch, commit, baseBranch, changedPaths, by } = group
  const payload = {
    code_source_id: codeSourceId,
    branch,
    commit,
    base_branch: baseBranch,
    changed_paths: changedPaths?.slice(0, maxPayloadPaths) ?? null,
  }
  const news = {
    organizationId,
    kind: 'merge_group',
    codeSourceId,
    waits: (trigger: PipelineTrigger) => trigger.type === 'merge_group' && matchesMergeGroup(trigger, group),
    trigger: { kind: 'merge_group', payload },
    triggeredBy: `${by}, by the merge queue of ${baseBranch}`,
  } as const
  return runsFor(tx, news, parts, now)
}
