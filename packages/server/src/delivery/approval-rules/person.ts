import { teamsOfMembers } from '../../identity/teams/members.ts'
import { type Caller, nameOf } from '../../platform/auth/caller.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Person } from './machine.ts'

/** Whoever makes a request, as rules see them. */
export async function personOf(db: Db, caller: Caller): Promise<Person> {
  const { organizationId, principalType: type, membershipId: id } = caller
  const teams = await teamsOfMembers(db, organizationId, [id])
  return { type, id, name: nameOf(caller), teamIds: teams.get(id) ?? [] }
}
