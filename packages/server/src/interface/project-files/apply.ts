import { ApiError, type Client, type Retry } from '@sluice/client'
import type { FilesSource, RecordAppliedFiles } from '@sluice/contract'
import { applyChange } from './apply-change.ts'
import { keyFor } from './key.ts'
import type { Applied, ProjectState } from './kind.ts'
import type { Change, Plan } from './plan.ts'
import type { Written } from './read.ts'

/** Plan, the data that it was made from, and the name of the project. */
export type Planned = { plan: Plan; state: ProjectState; project: string; written: readonly Written[] }

export type Applying = {
  /** Whether the infrastructure of changed instances is changed, too. */
  runStacks: boolean
  /** Address of the service, for links. */
  url: string
  /** Source of the files, if they are from a repository. */
  source?: FilesSource
  /** Maximum time for which the service may be unavailable. */
  patience: Retry
  say(line: string): void
  /** Reports a problem that does not stop the apply. */
  warn(line: string): void
  /** Callback before each change; if it throws, the apply stops. */
  expectToGoOn?(): Promise<void>
}

/** Applied change. */
export type AppliedChange = Applied & Pick<Change, 'action' | 'key'>

const didWhat = { create: 'created', change: 'changed', remove: 'removed' } as const

/**
 * Applies the changes of a plan in order. After an interruption, a new plan contains only the rest, because all state
 * is in the service.
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

/** Tells the service which records the files manage, so that later changes count as manual. */
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
    // The changes are applied anyway: a service of an older version, or a key with fewer permissions, only lacks this
    // record.
    if (!(error instanceof ApiError)) throw error
    warn(`The service does not note what is managed by files: ${error.error.message}`)
  }
}
