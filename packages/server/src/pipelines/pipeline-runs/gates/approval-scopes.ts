import { scopeOfInstance, scopesOfStacks } from '../../../modules/module-instances/places.ts'
import type { Scope } from '../../../platform/auth/access.ts'
import type { Db } from '../../../platform/db/open.ts'
import { scopesOfRuns } from '../permissions.ts'
import { findApprovals, type GuardedResource, targetsOf } from './approval-targets.ts'

/**
 * Returns the scopes on which the approval of steps has effect: those that the following steps change. Unknown ones are
 * replaced by the scope of the run.
 */
export async function scopesOfApproval(db: Db, organizationId: string, ids: string[]): Promise<Scope[]> {
  const approvals = await findApprovals(db, organizationId, ids)
  const scopes = approvals.map(async (approval) => {
    const targets = await targetsOf(db, approval)
    const found = (await Promise.all(targets.map((target) => scopesOf(db, organizationId, target)))).flat()
    return found.length > 0 ? found : scopesOfRuns(db, organizationId, [approval.run.id])
  })
  return (await Promise.all(scopes)).flat()
}

async function scopesOf(db: Db, organizationId: string, target: GuardedResource): Promise<Scope[]> {
  if ('stackId' in target) return scopesOfStacks(db, organizationId, [target.stackId])
  const scope = await scopeOfInstance(db, organizationId, target.moduleInstanceId)
  return scope ? [scope] : []
}
