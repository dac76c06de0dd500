import { nameOf } from '../arns.ts'
import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import { identities, type Role } from '../identities.ts'
import { operations } from '../operation.ts'
import type { World } from '../world.ts'

/** A name is of one role of the account, whatever path it lies at. */
export function findRole(world: World, { accountId }: Caller, name: string): Role | undefined {
  const isNamed = ({ key }: Role) => key.split(':')[4] === accountId && nameOf(key) === name
  return [...identities(world).roles.all()].find(isNamed)
}

function listRoleTags(world: World, caller: Caller, { RoleName }: { RoleName: string }) {
  const role = findRole(world, caller, RoleName)
  if (!role) throw new CloudError('NoSuchEntity', `The role with name ${RoleName} cannot be found.`, 404)
  const Tags = Object.entries(role.tags ?? {}).map(([Key, Value]) => ({ Key, Value }))
  return { Tags, IsTruncated: false }
}

/** The identity and access management API, version 2010-05-08, as far as it is simulated. */
export const iamOperations = operations({ ListRoleTags: listRoleTags })
