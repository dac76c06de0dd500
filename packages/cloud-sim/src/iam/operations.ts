import { nameOf } from '../arns.ts'
import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import { identities, type Role } from '../identities.ts'
import { operations } from '../operation.ts'
import type { World } from '../world.ts'
import { simulatePrincipalPolicy } from './policy-simulation.ts'

/** Finds a role of the account by name, regardless of its path. */
export function findRole(world: World, { accountId }: Caller, name: string): Role | undefined {
  const isNamed = ({ key }: Role) => key.split(':')[4] === accountId && nameOf(key) === name
  return [...identities(world).roles.all()].find(isNamed)
}

function roleNamed(world: World, caller: Caller, name: string): Role {
  const role = findRole(world, caller, name)
  if (!role) throw new CloudError('NoSuchEntity', `The role with name ${name} cannot be found.`, 404)
  return role
}

const tagsOf = ({ tags = {} }: Role) => Object.entries(tags).map(([Key, Value]) => ({ Key, Value }))

const listRoleTags = (world: World, caller: Caller, { RoleName }: { RoleName: string }) => ({
  Tags: tagsOf(roleNamed(world, caller, RoleName)),
  IsTruncated: false,
})

function getRole(world: World, caller: Caller, { RoleName }: { RoleName: string }) {
  const role = roleNamed(world, caller, RoleName)
  const path = role.key.slice(role.key.indexOf(':role/') + ':role'.length)
  return {
    Role: {
      Path: path.slice(0, path.lastIndexOf('/') + 1),
      RoleName,
      RoleId: `AROASIM${Buffer.from(role.key).toString('hex').toUpperCase().slice(-14)}`,
      Arn: role.key,
      CreateDate: new Date(0),
      AssumeRolePolicyDocument: encodeURIComponent(JSON.stringify(trustPolicyOf(role))),
      MaxSessionDuration: role.maxSessionSeconds,
      Tags: tagsOf(role),
    },
  }
}

/** Returns the trust policy: for the role's service, or for every principal with the external id. */
function trustPolicyOf({ trustedService, externalId }: Role) {
  const statement = { Effect: 'Allow', Action: 'sts:AssumeRole' }
  const trusted = trustedService === undefined ? { AWS: '*' } : { Service: trustedService }
  const condition = externalId === undefined ? {} : { Condition: { StringEquals: { 'sts:ExternalId': externalId } } }
  return { Version: '2012-10-17', Statement: [{ ...statement, Principal: trusted, ...condition }] }
}

/** Simulated operations of IAM, API version 2010-05-08. */
export const iamOperations = operations({
  GetRole: getRole,
  ListRoleTags: listRoleTags,
  SimulatePrincipalPolicy: simulatePrincipalPolicy,
})
