import { Column, is } from 'drizzle-orm'
import { expect, test, vi } from 'vitest'
import { and, eq, PgDialect, sql as sqlOf } from '../../platform/db/drizzle.ts'
import { projects } from '../../projects/projects/tables.ts'
import { describeOrganizationIsolation, useTwoOrganizations } from '../../testing/tenancy.ts'

// Removes the organization filter of all queries, so that only the database's row policies separate organizations.
vi.mock(import('../../platform/db/drizzle.ts'), async (original) => {
  const drizzle = await original()
  const eq: typeof drizzle.eq = (left: unknown, right: unknown) => {
    const isFilter = is(left, Column) && left.name === 'organization_id' && !is(right, Column)
    return isFilter ? drizzle.sql`true` : drizzle.eq(left as never, right)
  }
  return { ...drizzle, eq }
})

test('the filters are removed', () => {
  const filter = and(eq(projects.organizationId, 'org_1'), eq(projects.id, 'prj_1'))
  const { sql } = new PgDialect().sqlToQuery(filter ?? sqlOf.empty())
  expect(sql).toBe('(true and "projects"."id" = $1)')
})

useTwoOrganizations()
describeOrganizationIsolation()
