import type { Db } from '../../platform/db/open.ts'
import type { PipelineTrigger } from '../pipeline-versions/config/schema.ts'
import { matchesGlob } from './glob.ts'
import { runsFor } from './runs-for.ts'
import type { TriggerParts } from './start-triggered.ts'

/** Push to a branch of a code source, or a new tag. */
export type Push = {
  organizationId: string
  codeSourceId: string
  /** Undefined for a tag. */
  branch?: string | undefined
  tag?: string | undefined
  /** Last commit of the push, or commit of the tag. */
  commit: string
  /** Absent if the Git host does not report it. */
  committedAt?: string | undefined
  author?: string | undefined
  authorEmail?: string | undefined
  message?: string | undefined
  /** Paths of added, changed and removed files; null if the Git host does not list them, which matches any path. */
  changedPaths: string[] | null
  /** Display name. */
  pushedBy: string
}

type PushTrigger = Extract<PipelineTrigger, { type: 'push' }>

/** Reports whether a push matches a trigger. */
export function matchesPush(
  { code_source_id, tags, branches = tags ? [] : ['**'], paths }: PushTrigger,
  { codeSourceId, branch, tag, changedPaths }: Pick<Push, 'codeSourceId' | 'branch' | 'tag' | 'changedPaths'>,
): boolean {
  if (code_source_id !== codeSourceId) return false
  if (tag !== undefined) return fits(tags ?? [], tag)
  return branch !== undefined && fits(branches, branch) && matchesChangedPaths(paths, changedPaths)
}

export const fits = (patterns: readonly string[], name: string): boolean =>
  patterns.some((pattern) => matchesGlob(pattern, name))

/** Reports whether any of these files changed; null matches any path. */
export const matchesChangedPaths = (paths: readonly string[] | undefined, changed: readonly string[] | null): boolean =>
  !paths || changed === null || changed.some((path) => fits(paths, path))

/** Returns the Git names of the last commit's authors, if the host reports them. */
export const authorsOf = ({
  authorEmail,
  author,
}: {
  authorEmail?: string | undefined
  author?: string | undefined
}): string[] => [authorEmail, author].filter((name) => name !== undefined)

/** Maximum number of paths that a trigger's payload contains. */
export const maxPayloadPaths = 100

/** Starts a run of each pipeline with a matching trigger; returns the ids of the runs for the engine. */
export function runsForPush(tx: Db, push: Push, parts: TriggerParts, now: Date): Promise<string[]> {
  const { organizationId, codeSourceId, branch, tag, commit, committedAt, author, message, changedPaths, pushedBy } =
    push
  const payload = {
    code_source_id: codeSourceId,
    branch: branch ?? null,
    tag: tag ?? null,
    commit,
    committed_at: committedAt ?? null,
    author: author ?? null,
    message: message ?? null,
    changed_paths: changedPaths?.slice(0, maxPayloadPaths) ?? null,
  }
  const what = tag === undefined ? `a push to ${branch}` : `the tag ${tag}`
  const news = {
    organizationId,
    kind: 'push',
    codeSourceId,
    waits: (trigger: PipelineTrigger) => trigger.type === 'push' && matchesPush(trigger, push),
    trigger: { kind: 'push', payload, authors: authorsOf(push) },
    triggeredBy: `${pushedBy}, by ${what}`,
  } as const
  return runsFor(tx, news, parts, now)
}
