import { ApiError, type Client } from '@sluice/client'
import type { ManualChange } from '@sluice/contract'
import type { Key } from './key.ts'
import type { ProjectState } from './kind.ts'
import type { Plan } from './plan.ts'

/** Adds to each change of a plan what was changed manually since the files were applied, and by whom. */
export async function withManualChanges(client: Client, { projectId }: ProjectState, plan: Plan): Promise<Plan> {
  if (projectId === undefined || plan.changes.length === 0) return plan
  const byHand = await changedByHand(client, projectId)
  return {
    ...plan,
    changes: plan.changes.map((change) => {
      const changes = byHand.get(change.key)
      return changes === undefined ? change : { ...change, byHand: changes }
    }),
  }
}

async function changedByHand(client: Client, id: string): Promise<ReadonlyMap<Key, ManualChange[]>> {
  try {
    const { records } = (await client.getAppliedFiles({ params: { id } })).data
    return new Map(records.filter(({ changes }) => changes.length > 0).map(({ name, changes }) => [name, changes]))
  } catch (error) {
    // The plan is valid without this; a service of an older version does not provide it.
    if (!(error instanceof ApiError)) throw error
    return new Map()
  }
}
