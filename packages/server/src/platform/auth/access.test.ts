import { grantedPermissionsOf, grantedRoles, type Permission, permissionsOf, roles } from '@sluice/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Access, permissionsOn, permissionsSomewhere, type Scope } from './access.ts'

const projects = ['shop', 'blog'] as const
const environmentsOf = { shop: ['staging', 'production'], blog: ['live'] } as const
const scopes: Scope[] = projects.flatMap((projectId) => [
  { projectId },
  ...environmentsOf[projectId].map((environmentId) => ({ projectId, environmentId })),
])

const anyScope = fc.constantFrom(...scopes)
const anyAccess: fc.Arbitrary<Access> = fc.record({
  role: fc.constantFrom(...roles),
  grants: fc.array(
    fc.record({ scope: anyScope, role: fc.constantFrom(...grantedRoles) }).map(({ scope, role }) => ({
      projectId: scope.projectId,
      environmentId: scope.environmentId ?? null,
      role,
    })),
    { maxLength: 5 },
  ),
  restricted: fc
    .subarray(['shop', 'blog', 'staging', 'production', 'live'])
    .map((ids): ReadonlySet<string> => new Set(ids)),
  hidden: fc.subarray([...projects, 'staging', 'production', 'live']).map((ids): ReadonlySet<string> => new Set(ids)),
})
const everything = permissionsOf.OWNER

/**
 * Returns permissions by a naive reading of the documentation: for one permission, from the scope upwards to the first
 * restriction.
 */
function naively(access: Access, { projectId, environmentId }: Scope, permission: Permission): boolean {
  const has = (list: readonly Permission[]) => list.includes(permission)
  if (access.role === 'OWNER' || access.role === 'ADMIN') return has(permissionsOf[access.role])
  if (access.hidden.has(projectId) || access.hidden.has(environmentId ?? '')) return false
  if (has(permissionsOf.VIEWER)) return true
  const grantedAt = (project: string, environment: string | null) =>
    access.grants.some(
      (one) => one.projectId === project && one.environmentId === environment && has(grantedPermissionsOf[one.role]),
    )
  if (environmentId !== undefined) {
    if (grantedAt(projectId, environmentId)) return true
    if (access.restricted.has(environmentId)) return false
  }
  if (grantedAt(projectId, null)) return true
  return !access.restricted.has(projectId) && has(permissionsOf[access.role])
}

test('the permissions of a principal in a scope match a naive reading of the rules', () => {
  fc.assert(
    fc.property(anyAccess, anyScope, (access, scope) => {
      const permissions = permissionsOn(access, scope)
      for (const one of everything) expect([one, permissions.has(one)]).toEqual([one, naively(access, scope, one)])
    }),
    { numRuns: 2_000 },
  )
})

test('a caller with the permission in any scope passes the first check', () => {
  fc.assert(
    fc.property(anyAccess, anyScope, fc.constantFrom(...everything), (access, scope, permission) => {
      if (permissionsOn(access, scope).has(permission)) expect(permissionsSomewhere(access).has(permission)).toBe(true)
    }),
  )
})

test('a grant never removes permissions, and a restriction never adds any', () => {
  fc.assert(
    fc.property(anyAccess, anyScope, (access, scope) => {
      const before = permissionsOn(access, scope)
      const bare = permissionsOn({ ...access, grants: [] }, scope)
      const open = permissionsOn({ ...access, restricted: new Set() }, scope)
      for (const one of bare) expect(before.has(one)).toBe(true)
      for (const one of before) expect(open.has(one)).toBe(true)
    }),
  )
})
