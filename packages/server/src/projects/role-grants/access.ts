import type { Principal, PrincipalType, Role } from '@sluice/contract'
import { isLive } from '../../identity/auth/store.ts'
import { isEnding } from '../../identity/organizations/store.ts'
import { apiKeys, memberships, serviceAccounts } from '../../identity/organizations/tables.ts'
import { isAlive } from '../../identity/sessions/store.ts'
import { sessions } from '../../identity/sessions/tables.ts'
import { teamsOfMembers } from '../../identity/teams/members.ts'
import { teamMembers } from '../../identity/teams/tables.ts'
import type { Access } from '../../platform/auth/access.ts'
import type { Caller } from '../../platform/auth/caller.ts'
import { hiddenFrom, type MemberOnlyScopes } from '../../platform/auth/hidden.ts'
import type { ReadPermissionFingerprints } from '../../platform/auth/rights-watch.ts'
import type { SessionLife } from '../../platform/auth/session-cookie.ts'
import { and, type Column, eq, inArray, or, type PgTable, type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Database, Db } from '../../platform/db/open.ts'
import { environments, projects } from '../projects/tables.ts'
import { roleGrants } from './tables.ts'

/** Membership or service account, with its role in the organization. */
type Known = { organizationId: string; membershipId: string; principalType: PrincipalType; role: Role }

/** Loads the access of a principal: its own roles, those of its teams, and the restricted scopes. */
export async function accessOf(db: Db, { organizationId, membershipId, principalType, role }: Known): Promise<Access> {
  if (isBeyondGrants(role)) return beyondGrants(role)
  const isPerson = principalType === 'MEMBERSHIP'
  const ofMember = eq(isPerson ? teamMembers.membershipId : teamMembers.serviceAccountId, membershipId)
  const itsTeams = db.select({ id: teamMembers.teamId }).from(teamMembers).where(ofMember)
  const own = eq(isPerson ? roleGrants.membershipId : roleGrants.serviceAccountId, membershipId)
  const { projectId, environmentId } = roleGrants
  const [grants, restricted, guarded] = await Promise.all([
    db
      .select({ projectId, environmentId, role: roleGrants.role })
      .from(roleGrants)
      .where(and(eq(roleGrants.organizationId, organizationId), or(own, inArray(roleGrants.teamId, itsTeams)))),
    restrictedIn(db, organizationId),
    restrictionsIn(db, organizationId),
  ])
  return { role, grants, restricted, hidden: hiddenFrom(grants, guarded) }
}

const isBeyondGrants = (role: Role): boolean => role === 'OWNER' || role === 'ADMIN'
const beyondGrants = (role: Role): Access => ({ role, grants: [], restricted: new Set(), hidden: new Set() })

/**
 * Returns a query for digests of the access of active credentials, for streams: see `PermissionWatcher`. `db` has
 * access to all organizations.
 */
export const accessDigestsIn =
  (db: Db, life: SessionLife): ReadPermissionFingerprints =>
  async (credentials) => {
    const hashes = credentials.map(({ tokenHash }) => tokenHash)
    const live = db.$with('live').as(
      db
        .select({
          tokenHash: sql<string>`${sessions.tokenHash}`.as('token_hash'),
          organizationId: sql<string>`${sessions.organizationId}`.as('organization_id'),
          role: sql<string>`${memberships.role}`.as('role'),
        })
        .from(sessions)
        .innerJoin(memberships, eq(memberships.id, sessions.membershipId))
        .where(and(inArray(sessions.tokenHash, hashes), isAlive(life)))
        .unionAll(
          db
            .select({
              tokenHash: sql<string>`${apiKeys.tokenHash}`.as('token_hash'),
              organizationId: sql<string>`${apiKeys.organizationId}`.as('organization_id'),
              role: sql<string>`coalesce(${memberships.role}, ${serviceAccounts.role})`.as('role'),
            })
            .from(apiKeys)
            .leftJoin(memberships, eq(memberships.id, apiKeys.membershipId))
            .leftJoin(serviceAccounts, eq(serviceAccounts.id, apiKeys.serviceAccountId))
            .where(and(inArray(apiKeys.tokenHash, hashes), isLive(life.clock()))),
        ),
    )
    const asked = db.$with('asked').as(db.selectDistinct({ organizationId: live.organizationId }).from(live))
    // Drizzle omits the table of an aliased column, which would refer to the inner table here.
    const sumOf = (table: PgTable, text: SQL, organizationId: Column) =>
      sql`(select sum(hashtext(${text})::bigint) from ${table} where ${organizationId} = asked.organization_id)`
    const grants = sumOf(roleGrants, sql`${roleGrants.id} || ${roleGrants.role}`, roleGrants.organizationId)
    const teams = sumOf(teamMembers, sql`${teamMembers.id}`, teamMembers.organizationId)
    const placesIn = (table: typeof projects | typeof environments) =>
      sumOf(table, sql`${table.id} || ${table.restricted} || ${table.visibility}`, table.organizationId)
    const sums = sql<string>`concat_ws(' ', ${grants}, ${teams}, ${placesIn(projects)}, ${placesIn(environments)})`
    // Distinct, to compute the sum once per organization instead of once per credential.
    const summed = db
      .$with('summed')
      .as(db.selectDistinct({ organizationId: asked.organizationId, sums: sums.as('sums') }).from(asked))
    const found = await db
      .with(live, asked, summed)
      .select({ tokenHash: live.tokenHash, rights: sql<string>`live.role || ' ' || summed.sums` })
      .from(live)
      .innerJoin(summed, sql`summed.organization_id = live.organization_id`)
    return new Map(found.map((one) => [one.tokenHash, one.rights]))
  }

/** Loads the access of many members, by membership id. */
export async function accessOfMembers(
  db: Db,
  organizationId: string,
  members: readonly { id: string; role: Role }[],
): Promise<ReadonlyMap<string, Access>> {
  const { membershipId, teamId, projectId, environmentId, role } = roleGrants
  const [given, restricted, guarded, teams] = await Promise.all([
    db
      .select({ membershipId, teamId, projectId, environmentId, role })
      .from(roleGrants)
      .where(eq(roleGrants.organizationId, organizationId)),
    restrictedIn(db, organizationId),
    restrictionsIn(db, organizationId),
    teamsOfMembers(
      db,
      organizationId,
      members.map(({ id }) => id),
    ),
  ])
  const accessOfOne = ({ id, role }: { id: string; role: Role }): Access => {
    if (isBeyondGrants(role)) return beyondGrants(role)
    const own = teams.get(id) ?? []
    const grants = given.filter((one) => one.membershipId === id || (one.teamId !== null && own.includes(one.teamId)))
    return { role, grants, restricted, hidden: hiddenFrom(grants, guarded) }
  }
  return new Map(members.map((member) => [member.id, accessOfOne(member)]))
}

/** Returns the ids of the restricted projects and environments, in which roles of their parents do not count. */
export async function restrictedIn(db: Db, organizationId: string): Promise<Set<string>> {
  const [ofProjects, ofEnvironments] = await Promise.all([
    db
      .select({ id: projects.id })
      .from(projects)
      .where(and(eq(projects.organizationId, organizationId), eq(projects.restricted, sql`true`))),
    db
      .select({ id: environments.id })
      .from(environments)
      .where(and(eq(environments.organizationId, organizationId), eq(environments.restricted, sql`true`))),
  ])
  return new Set([...ofProjects, ...ofEnvironments].map(({ id }) => id))
}

/** Returns the scopes that not every member of the organization can see. */
async function restrictionsIn(db: Db, organizationId: string): Promise<MemberOnlyScopes> {
  const isForMembers = eq(environments.visibility, 'MEMBERS')
  const isInGuarded = eq(projects.visibility, 'MEMBERS')
  const [ofProjects, ofEnvironments] = await Promise.all([
    db
      .select({ id: projects.id })
      .from(projects)
      .where(and(eq(projects.organizationId, organizationId), isInGuarded)),
    db
      .select({ id: environments.id, projectId: projects.id, visibility: environments.visibility })
      .from(environments)
      .innerJoin(projects, eq(projects.id, environments.projectId))
      .where(and(eq(environments.organizationId, organizationId), or(isForMembers, isInGuarded))),
  ])
  return {
    projectIds: ofProjects.map(({ id }) => id),
    environments: ofEnvironments.map(({ visibility, ...one }) => ({ ...one, isForMembers: visibility === 'MEMBERS' })),
  }
}

/** Loads the access of a principal by its id; undefined if it does not exist any more. */
export async function accessOfPrincipal(db: Db, organizationId: string, id: string): Promise<Access | undefined> {
  const [member] = await db
    .select({ role: memberships.role })
    .from(memberships)
    .where(and(eq(memberships.organizationId, organizationId), eq(memberships.id, id)))
  if (member) return accessOf(db, { organizationId, membershipId: id, principalType: 'MEMBERSHIP', ...member })
  const [account] = await db
    .select({ role: serviceAccounts.role })
    .from(serviceAccounts)
    .where(and(eq(serviceAccounts.organizationId, organizationId), eq(serviceAccounts.id, id)))
  return account && accessOf(db, { organizationId, membershipId: id, principalType: 'SERVICE_ACCOUNT', ...account })
}

/** Returns the principal with its access, and whether any grants exist. */
export async function withAccess(
  ofOrganization: Database['ofOrganization'],
  principal: Principal | undefined,
): Promise<Caller | undefined> {
  if (!principal) return undefined
  const db = ofOrganization(principal.organizationId, undefined, 'control')
  const [access, ends] = await Promise.all([accessOf(db, principal), isEnding(db, principal.organizationId)])
  return { ...principal, access, isEnding: ends }
}
