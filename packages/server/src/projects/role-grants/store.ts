import type { GrantedRole } from '@sluice/contract'
import type { Member } from '../../identity/teams/members.ts'
import { and, eq, or } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { newId } from '../../platform/ids.ts'
import { type RoleGrantRow, roleGrants } from './tables.ts'

/** Grantee of a role, with its column. */
export type Grantee = Member | { teamId: string }

type NewRoleGrant = Grantee & {
  organizationId: string
  projectId: string
  environmentId?: string | undefined
  role: GrantedRole
}

const isOne = (organizationId: string, id: string) =>
  and(eq(roleGrants.organizationId, organizationId), eq(roleGrants.id, id))

export async function findRoleGrant(db: Db, organizationId: string, id: string): Promise<RoleGrantRow | undefined> {
  const [row] = await db.select().from(roleGrants).where(isOne(organizationId, id))
  return row
}

export function listRoleGrants(
  db: Db,
  organizationId: string,
  { principalId, projectId, environmentId }: { principalId?: string; projectId?: string; environmentId?: string },
  page: PageBounds,
): Promise<PageRows<RoleGrantRow>> {
  const isOf = (id: string) =>
    or(eq(roleGrants.membershipId, id), eq(roleGrants.serviceAccountId, id), eq(roleGrants.teamId, id))
  const where = and(
    eq(roleGrants.organizationId, organizationId),
    principalId === undefined ? undefined : isOf(principalId),
    projectId === undefined ? undefined : eq(roleGrants.projectId, projectId),
    environmentId === undefined ? undefined : eq(roleGrants.environmentId, environmentId),
  )
  return selectPage(db, roleGrants, where, page)
}

/** Returns undefined if the principal has the role there already. */
export async function insertRoleGrant(tx: Db, grant: NewRoleGrant): Promise<RoleGrantRow | undefined> {
  const [row] = await tx
    .insert(roleGrants)
    .values({ id: newId('grt'), ...grant })
    .onConflictDoNothing()
    .returning()
  return row
}

export async function removeRoleGrant(tx: Db, organizationId: string, id: string): Promise<RoleGrantRow | undefined> {
  const [row] = await tx.delete(roleGrants).where(isOne(organizationId, id)).returning()
  return row
}
