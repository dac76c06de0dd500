import type { Principal } from '@sluice/contract'
import { and, desc, eq, getTableColumns, lt } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import type { PageBounds, PageRows } from '../../platform/db/page.ts'
import { newId } from '../../platform/ids.ts'
import { member, tenant } from '../auth/store.ts'
import { memberships, organizations, users } from '../organizations/tables.ts'
import { type SlackAccountRow, slackAccounts } from './tables.ts'

/** Linked Slack account with its member's email address. */
export type LinkedAccount = SlackAccountRow & { email: string }

/** Scope of visible accounts: one membership, or the whole organization. */
export type AccountScope = { organizationId: string; membershipId: string | undefined }

export type SlackPerson = Pick<SlackAccountRow, 'slackTeam' | 'slackTeamName' | 'slackUser' | 'slackUserName'>

const isIn = ({ organizationId, membershipId }: AccountScope) =>
  and(
    eq(slackAccounts.organizationId, organizationId),
    membershipId === undefined ? undefined : eq(slackAccounts.membershipId, membershipId),
  )

export async function listSlackAccounts(
  db: Db,
  scope: AccountScope,
  { membershipId }: { membershipId?: string },
  { limit, before }: PageBounds,
): Promise<PageRows<LinkedAccount>> {
  const wanted = and(isIn(scope), membershipId === undefined ? undefined : eq(slackAccounts.membershipId, membershipId))
  const [rows, totalCount] = await Promise.all([
    linked(db)
      .where(and(wanted, before === undefined ? undefined : lt(slackAccounts.id, before)))
      .orderBy(desc(slackAccounts.id))
      .limit(limit + 1),
    db.$count(slackAccounts, wanted),
  ])
  return { rows, totalCount }
}

/** Returns the current member of a Slack account, or undefined if it is not linked. */
export async function findSlackPrincipal(
  db: Db,
  organizationId: string,
  { slackTeam, slackUser }: Pick<SlackPerson, 'slackTeam' | 'slackUser'>,
): Promise<Principal | undefined> {
  const isTheirs = and(eq(slackAccounts.slackTeam, slackTeam), eq(slackAccounts.slackUser, slackUser))
  const [row] = await db
    .select({ account: slackAccounts, organization: organizations, membership: memberships, user: users })
    .from(slackAccounts)
    .innerJoin(organizations, eq(organizations.id, slackAccounts.organizationId))
    .innerJoin(memberships, eq(memberships.id, slackAccounts.membershipId))
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(and(eq(slackAccounts.organizationId, organizationId), isTheirs))
  if (!row) return undefined
  // The API has no type for this credential, which is never returned; a key is the least privileged of the existing
  // types.
  const credential = { authSource: 'API_KEY', identityType: 'API_KEY', identityId: row.account.id } as const
  return { ...credential, ...tenant(row.organization), ...member(row.membership, row.user) }
}

/** Links an account. Returns undefined if the account or member is already linked, also by a concurrent request. */
export async function insertSlackAccount(
  tx: Db,
  { organizationId, membershipId }: { organizationId: string; membershipId: string },
  person: SlackPerson,
): Promise<SlackAccountRow | undefined> {
  const [row] = await tx
    .insert(slackAccounts)
    .values({ id: newId('sla'), organizationId, membershipId, ...person })
    .onConflictDoNothing()
    .returning()
  return row
}

export async function removeSlackAccount(
  tx: Db,
  scope: AccountScope,
  id: string,
): Promise<SlackAccountRow | undefined> {
  const [row] = await tx
    .delete(slackAccounts)
    .where(and(isIn(scope), eq(slackAccounts.id, id)))
    .returning()
  return row
}

const linked = (db: Db) =>
  db
    .select({ ...getTableColumns(slackAccounts), email: users.email })
    .from(slackAccounts)
    .innerJoin(memberships, eq(memberships.id, slackAccounts.membershipId))
    .innerJoin(users, eq(users.id, memberships.userId))
