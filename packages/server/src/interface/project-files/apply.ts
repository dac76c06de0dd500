import { ApiError, type Client, type Retry } from '@sluice/client'
import type { FilesSource, RecordAppliedFiles } from '@sluice/contract'
import { applyChange } from './apply-change.ts'
import { keyFor } from './key.ts'
import type { Applied, ProjectState } from './kind.ts'
import type { Change, Plan } from './plan.ts'
import type { Written } from './read.ts'

/** A plan, what it was made from, and the name of the project. */
export type Planned = { plan: Plan; state: ProjectState; project: string; written: readonly Written[] }

export type Applying = {
  /** Whether infrastructure is changed with the inputs of instances. */
  runStacks: boolean
  /** Where the service is, for links. */
  url: string
  /** What of a repository the files are. */
  source?: FilesSource
  /** How long the service may be away. */
  patience: Retry
  say(line: string): void
  /** Says what did not go as it should. */
  warn(line: string): void
  /** Asked before each change: what it throws ends the apply there. */
  expectToGoOn?(): Promise<void>
}

/** A change that was applied. */
export type AppliedChange = Applied & Pick<Change, 'action' | 'key'>

const didWhat = { create: 'created', change: 'changed', remove: 'removed' } as const

/**
 * Makes the changes of a plan one after the other. Only the service remembers them, so a plan that is made after this
 * was stopped holds what is left, and no more.
 */
export async function applyPlan(planned: Planned, client: Client, applying: Applying): Promise<AppliedChange[]> {
  const { plan, written: _, ...known } = planned
  const { url, say, warn, runStacks, patience } = applying
  const parts = { ...known, client, runStacks, retry: patience, say }
  const done: AppliedChange[] = []
  for (const change of plan.changes) {
    const { action, key } = change
    await applying.expectToGoOn?.()
    const came = await applyChange(change, parts).catch((error: unknown) => {
      const left = `${done.length} of ${plan.changes.length} changes are made`
      warn(`${key} could not be ${didWhat[action]}; ${left}. Apply again to go on.`)
      throw error
    })
    done.push({ action, key, ...came })
    say(`${key} ${didWhat[action]}`)
    if (came.runId !== undefined) {
      say(`  It has a run, which may wait for approval: ${url}/console/runs/${came.runId}`)
    }
  }
  await noteApplied(planned, client, applying)
  return done
}

/** Has the service know what is managed by files: it is as they say now, and changes from here on are others'. */
async function noteApplied(
  { written, state, project }: Planned,
  client: Client,
  { source, warn }: Applying,
): Promise<void> {
  const projectId = state.projectId ?? state.ids.get(keyFor('Project', project))
  if (projectId === undefined) return
  const records: RecordAppliedFiles['records'] = {}
  for (const { key } of written) {
    const id = state.ids.get(key)
    if (id === undefined) continue
    const others = records[id]
    records[id] = others === undefined ? key : [others, key].flat()
  }
  try {
    await client.recordAppliedFiles({
      params: { id: projectId },
      body: { data: { ...(source && { source }), records } },
    })
  } catch (error) {
    // What was applied is applied: a service of an older version, or a key that may less, only does not tell of it.
    if (!(error instanceof ApiError)) throw error
    warn(`The service does not note what is managed by files: ${error.error.message}`)
  }
}
