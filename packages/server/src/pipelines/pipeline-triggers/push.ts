import { theService } from '../../identity/audit-events/author.ts'
import type { Db } from '../../platform/db/open.ts'
import type { PipelineTrigger } from '../pipeline-versions/config/schema.ts'
import { configOf } from '../pipeline-versions/config/steps.ts'
import { matchesGlob } from './glob.ts'
import { startTriggered, type TriggerParts } from './start-triggered.ts'
import { pipelinesTriggeredBy } from './store.ts'

/** Commits that somebody pushed to a branch of a code source. */
export type Push = {
  organizationId: string
  codeSourceId: string
  branch: string
  /** The last one. */
  commit: string
  /** Absent where the git host does not tell. */
  committedAt?: string | undefined
  author?: string | undefined
  message?: string | undefined
  /** Of the files that were added, changed or removed; null where the git host does not tell: then it may be any. */
  changedPaths: string[] | null
  /** For people. */
  pushedBy: string
}

type PushTrigger = Extract<PipelineTrigger, { type: 'push' }>

/** Whether a push is one of those that a trigger waits for. */
export function isTriggeredBy(
  { code_source_id, branches = ['**'], paths }: PushTrigger,
  { codeSourceId, branch, changedPaths }: Pick<Push, 'codeSourceId' | 'branch' | 'changedPaths'>,
): boolean {
  if (code_source_id !== codeSourceId) return false
  if (!branches.some((pattern) => matchesGlob(pattern, branch))) return false
  return (
    !paths || changedPaths === null || changedPaths.some((path) => paths.some((pattern) => matchesGlob(pattern, path)))
  )
}

/** A push of thousands of files is told by the first ones. */
const toldPaths = 100

/** Starts a run of each pipeline that waits for the push; the ids of the runs that the engine is to be told of. */
export async function runsForPush(tx: Db, push: Push, parts: TriggerParts, now: Date): Promise<string[]> {
  const { organizationId, codeSourceId, branch, commit, committedAt, author, message, changedPaths, pushedBy } = push
  const payload = {
    code_source_id: codeSourceId,
    branch,
    commit,
    committed_at: committedAt ?? null,
    author: author ?? null,
    message: message ?? null,
    changed_paths: changedPaths?.slice(0, toldPaths) ?? null,
  }
  const runs: string[] = []
  for (const one of await pipelinesTriggeredBy(tx, organizationId, { type: 'push', code_source_id: codeSourceId })) {
    const triggers = configOf(one.version).triggers ?? []
    // Of several that wait for it, the first says with which inputs.
    const config = triggers.find((trigger) => trigger.type === 'push' && isTriggeredBy(trigger, push))
    if (config?.type !== 'push') continue
    const trigger = { kind: 'push', payload } as const
    const occasion = {
      config,
      trigger,
      author: theService(organizationId, 'WEBHOOK'),
      triggerSource: 'PUSH',
      triggeredBy: `${pushedBy}, by a push to ${branch}`,
    } as const
    runs.push(...(await startTriggered(tx, one, occasion, parts, now)))
  }
  return runs
}
