import type { Tenancy } from '@sluice/contract/runner-protocol'
import { organizations } from '../../identity/organizations/tables.ts'
import type { Db } from '../../platform/db/open.ts'
import { prepared } from '../../platform/db/prepared.ts'
import type { RunnerScope } from './runner-tokens.ts'

export type FindTenancy = (scope: RunnerScope) => Promise<Tenancy>

export type TenancyParts = {
  registration: 'open' | 'closed'
  /** Whether all organizations belong to one tenant; for tests. */
  hasOneTenant?: boolean
}

const twoOrganizations = prepared((db) =>
  db.select({ id: organizations.id }).from(organizations).limit(2).prepare('find_two_organizations'),
)

/**
 * Returns whether a runner may execute programs of several tenants. If registration is closed, a single organization is
 * the only tenant.
 */
export const findTenancy =
  (db: Db, { registration, hasOneTenant = false }: TenancyParts): FindTenancy =>
  async ({ organizationId }) => {
    const runner = organizationId === undefined ? ('shared' as const) : ('own' as const)
    if (hasOneTenant) return { runner, organizations: 'one' }
    if (registration === 'open') return { runner, organizations: 'many' }
    const some = await twoOrganizations(db).execute()
    return { runner, organizations: some.length < 2 ? 'one' : 'many' }
  }
