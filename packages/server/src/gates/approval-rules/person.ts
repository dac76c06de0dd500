import type { PrincipalType } from '@sluice/contract'
import { teamsOfMembers } from '../../identity/teams/members.ts'
import { type Caller, nameOf } from '../../platform/auth/caller.ts'
import type { Db } from '../../platform/db/open.ts'
import { delegatedTo } from '../approval-delegations/store.ts'
import type { Person } from './machine.ts'

/** User or service account that decides, and the time. */
export type ApprovalActor = { type: PrincipalType; id: string; name: string; at: Date }

/**
 * Returns approvers for the evaluation of rules: with their current teams, and the members whom they substituted for at
 * that time.
 */
export async function loadApprovers(
  db: Db,
  organizationId: string,
  deciding: readonly ApprovalActor[],
): Promise<Person[]> {
  if (deciding.length === 0) return []
  const ids = deciding.map(({ id }) => id)
  const delegated = await delegatedTo(db, organizationId, ids)
  const teams = await teamsOfMembers(db, organizationId, [...ids, ...delegated.map(({ membershipId }) => membershipId)])
  const teamsOf = (id: string) => teams.get(id) ?? []
  return deciding.map(({ type, id, name, at }) => ({
    type,
    id,
    name,
    teamIds: teamsOf(id),
    onBehalfOf: delegated
      .filter(({ delegateId, from, until }) => delegateId === id && from <= at && at < until)
      .map(({ membershipId, name }) => ({ id: membershipId, name, teamIds: teamsOf(membershipId) })),
  }))
}

/** Returns the caller for the evaluation of rules. */
export async function personOf(db: Db, caller: Caller, at: Date): Promise<Person> {
  const { organizationId, principalType: type, membershipId: id } = caller
  const [person] = await loadApprovers(db, organizationId, [{ type, id, name: nameOf(caller), at }])
  if (!person) throw new Error('whoever decides was not looked at')
  return person
}
