import type { FastifyRequest } from 'fastify'
import type { Db } from '../../platform/db/open.ts'
import { recordChange } from '../audit-events/record.ts'
import type { MembershipRow } from '../memberships/store.ts'
import { insertByGroups, removeByGroups } from '../teams/members.ts'
import type { UserRow } from '../users/store.ts'
import { teamsIn, type VerifiedClaims } from './machine.ts'
import { installationId, type Provider } from './provider.ts'

type Keeping = { claims: VerifiedClaims; user: UserRow; membership: MembershipRow; request: FastifyRequest }

/** Adds a member to the teams of their groups and removes them from teams of former groups. */
export async function syncTeams(
  tx: Db,
  provider: Provider,
  { claims, user: { email }, membership, request }: Keeping,
): Promise<void> {
  const { id: membershipId, organizationId } = membership
  const of = { organizationId, providerId: provider.id === installationId ? null : provider.id }
  const teamIds = teamsIn(claims, provider)
  const left = await removeByGroups(tx, { ...of, membershipId }, teamIds)
  const entered = await insertByGroups(tx, of, membershipId, teamIds)
  const changes = [
    ...left.map(({ teamId }) => ({ action: 'team-members.delete', resourceId: teamId })),
    ...entered.map(({ teamId }) => ({ action: 'team-members.create', resourceId: teamId })),
  ]
  const caller = { organizationId, principalType: 'MEMBERSHIP', membershipId, email } as const
  const details = { memberId: membershipId, source: 'GROUP', identityProviderId: provider.id }
  for (const change of changes) {
    await recordChange(tx, { caller, request }, { ...change, resourceType: 'team', details })
  }
}
