import type { Db } from '../../platform/db/open.ts'
import type { PipelineTrigger } from '../pipeline-versions/config/schema.ts'
import { changesOne, fits, toldPaths } from './push.ts'
import { runsFor } from './runs-for.ts'
import type { TriggerParts } from './start-triggered.ts'

/** Pull requests that a merge queue is about to merge, as one commit that it wants checked. */
export type MergeGroup = {
  organizationId: string
  codeSourceId: string
  /** The temporary branch of the commit. */
  branch: string
  commit: string
  /** The branch that it is to be merged into. */
  baseBranch: string
  /** Paths that it changes; null where the git host does not list them: then it may be any. */
  changedPaths: string[] | null
  /** For people. */
  by: string
}

type MergeGroupTrigger = Extract<PipelineTrigger, { type: 'merge_group' }>

/** Whether a trigger waits for a merge group. */
export const isQueuedFor = (
  { code_source_id, branches = ['**'], paths }: MergeGroupTrigger,
  { codeSourceId, baseBranch, changedPaths }: Pick<MergeGroup, 'codeSourceId' | 'baseBranch' | 'changedPaths'>,
): boolean => code_source_id === codeSourceId && fits(branches, baseBranch) && changesOne(paths, changedPaths)

/** Starts a run of each pipeline that waits for the merge group; returns the IDs of the runs. */
export function runsForMergeGroup(tx: Db, group: MergeGroup, parts: TriggerParts, now: Date): Promise<string[]> {
  const { organizationId, codeSourceId, branch, commit, baseBranch, changedPaths, by } = group
  const payload = {
    code_source_id: codeSourceId,
    ...{ branch, commit },
    base_branch: baseBranch,
    changed_paths: changedPaths?.slice(0, toldPaths) ?? null,
  }
  const news = {
    organizationId,
    kind: 'merge_group',
    codeSourceId,
    waits: (trigger: PipelineTrigger) => trigger.type === 'merge_group' && isQueuedFor(trigger, group),
    trigger: { kind: 'merge_group', payload },
    triggeredBy: `${by}, by the merge queue of ${baseBranch}`,
  } as const
  return runsFor(tx, news, parts, now)
}
