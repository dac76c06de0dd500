import { and, eq, sql as sqlOf } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import { expect, test, vi } from 'vitest'
import { projects } from '../projects/tables.ts'
import { describeWalls, useTwoOrganizations } from '../testing/tenancy.ts'

// The mutation: no query compares a row's organization any more. The database alone has to keep organizations apart.
vi.mock(import('drizzle-orm'), async (original) => {
  const drizzle = await original()
  const eq: typeof drizzle.eq = (left: unknown, right: unknown) => {
    const isFilter =
      drizzle.is(left, drizzle.Column) && left.name === 'organization_id' && !drizzle.is(right, drizzle.Column)
    return isFilter ? drizzle.sql`true` : drizzle.eq(left as never, right)
  }
  return { ...drizzle, eq }
})

test('the mutation is in place', () => {
  const filter = and(eq(projects.organizationId, 'org_1'), eq(projects.id, 'prj_1'))
  const { sql } = new PgDialect().sqlToQuery(filter ?? sqlOf.empty())
  expect(sql).toBe('(true and "projects"."id" = $1)')
})

useTwoOrganizations()
describeWalls()
