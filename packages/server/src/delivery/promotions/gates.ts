import type { Rules } from '../../gates/gate.ts'
import { loadBlockers } from '../../gates/load.ts'
import type { Scope } from '../../gates/scope.ts'
import { permissionsOn } from '../../platform/auth/access.ts'
import type { Db } from '../../platform/db/open.ts'
import { accessOfPrincipal } from '../../projects/role-grants/access.ts'
import type { Gates } from './machine.ts'
import type { PromotionRuleRow } from './tables.ts'

/** Returns the gate that blocks releases to an instance now: the first one in the order of evaluation. */
export async function blockingGate(rules: Rules, scope: Scope, now: Date): Promise<Gates['waitsFor']> {
  const found = await loadBlockers(rules, { moment: 'START', action: 'RELEASES', scope }, now)
  return found.find((blocker) => blocker.decision === 'wait')
}

/** Returns whether the author of a rule still has the permission to deploy in both environments. */
export async function hasAuthorPermission(
  db: Db,
  { organizationId, projectId, fromEnvironmentId, environmentId, writtenById }: PromotionRuleRow,
): Promise<boolean> {
  const access = await accessOfPrincipal(db, organizationId, writtenById)
  return [fromEnvironmentId, environmentId].every(
    (id) => access && permissionsOn(access, { projectId, environmentId: id }).has('deployments:write'),
  )
}
