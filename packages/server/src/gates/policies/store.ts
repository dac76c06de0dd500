import type { PolicyGuards, PolicyRules } from '@sluice/contract'
import { type AnyPgColumn, and, asc, eq, gt, type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { newId } from '../../platform/ids.ts'
import { present } from '../../platform/present.ts'
import type { Scope } from '../scope.ts'
import {
  type PolicyOverrideRow,
  type PolicyRow,
  type PolicyVersionRow,
  policies,
  policyOverrides,
  policyVersions,
} from './tables.ts'

const one = (organizationId: string, id: string) =>
  and(eq(policies.organizationId, organizationId), eq(policies.id, id))

const inForce = (organizationId: AnyPgColumn | string, guards: PolicyGuards) =>
  and(eq(policies.organizationId, organizationId), eq(policies.guards, guards), eq(policies.isEnabled, true))

/** In a query over something else: whether its organization has policies that guard such a thing, as with freezes. */
export const hasPolicies = (organizationId: AnyPgColumn, guards: PolicyGuards): SQL<boolean> =>
  sql<boolean>`exists (select from ${policies} where ${inForce(organizationId, guards)})`

/** The same of policies that ask people about plans. */
export const hasPoliciesAskingOfPlans = (organizationId: AnyPgColumn): SQL<boolean> =>
  sql<boolean>`exists (select from ${policies} where ${and(inForce(organizationId, 'PLANS'), eq(policies.effect, 'REQUIRE_APPROVAL'))})`

/** The policies of an organization that guard such a thing, wherever. */
export const policiesInForce = (db: Db, organizationId: string, guards: PolicyGuards): Promise<PolicyRow[]> =>
  db.select().from(policies).where(inForce(organizationId, guards)).orderBy(asc(policies.id))

export const overridesInForce = (db: Db, organizationId: string, now: Date): Promise<PolicyOverrideRow[]> =>
  db
    .select()
    .from(policyOverrides)
    .where(and(eq(policyOverrides.organizationId, organizationId), gt(policyOverrides.until, now)))
    .orderBy(asc(policyOverrides.id))

export const countPolicies = (db: Db, organizationId: string): Promise<number> =>
  db.$count(policies, eq(policies.organizationId, organizationId))

export async function insertPolicy(
  tx: Db,
  row: Omit<typeof policies.$inferInsert, 'id' | 'version'>,
): Promise<PolicyRow> {
  const [inserted] = await tx
    .insert(policies)
    .values({ id: newId('pol'), version: 1, ...row })
    .returning()
  if (!inserted) throw new Error('the policy was not inserted')
  await keepVersion(tx, inserted, inserted.createdBy)
  return inserted
}

/** Changes a policy that is locked, and keeps what it says from now on as its next version. */
export async function updatePolicy(
  tx: Db,
  id: string,
  changes: Partial<PolicyRules>,
  writtenBy: string,
): Promise<PolicyRow> {
  const [row] = await tx
    .update(policies)
    .set({ ...changes, version: sql`${policies.version} + 1`, updatedAt: sql`now()` })
    .where(eq(policies.id, id))
    .returning()
  if (!row) throw new Error(`the policy ${id} was locked and is gone`)
  await keepVersion(tx, row, writtenBy)
  return row
}

async function keepVersion(tx: Db, row: PolicyRow, createdBy: string): Promise<void> {
  const { organizationId, id: policyId, projectId, environmentId, moduleInstanceId, version } = row
  await tx.insert(policyVersions).values({
    ...{ id: newId('plr'), organizationId, policyId, projectId, environmentId, moduleInstanceId, version },
    ...{ rules: rulesOf(row), createdBy },
  })
}

/** What a policy says. */
export const rulesOf = (row: PolicyRow): PolicyRules =>
  present({
    name: row.name,
    description: row.description ?? undefined,
    expression: row.expression,
    message: row.message,
    effect: row.effect,
    approval: row.approval ?? undefined,
    isEnabled: row.isEnabled,
    rollbacks: row.rollbacks,
    tests: row.tests,
  })

export function listPolicies(
  db: Db,
  organizationId: string,
  { projectId, environmentId, moduleInstanceId }: { [level in keyof Scope]?: string },
  page: PageBounds,
): Promise<PageRows<PolicyRow>> {
  const where = and(
    eq(policies.organizationId, organizationId),
    projectId === undefined ? undefined : eq(policies.projectId, projectId),
    environmentId === undefined ? undefined : eq(policies.environmentId, environmentId),
    moduleInstanceId === undefined ? undefined : eq(policies.moduleInstanceId, moduleInstanceId),
  )
  return selectPage(db, policies, where, page)
}

export async function findPolicy(db: Db, organizationId: string, id: string): Promise<PolicyRow | undefined> {
  const [row] = await db.select().from(policies).where(one(organizationId, id))
  return row
}

/** The policy, which nobody else changes before the transaction ends. */
export async function lockPolicy(tx: Db, organizationId: string, id: string): Promise<PolicyRow | undefined> {
  const [row] = await tx.select().from(policies).where(one(organizationId, id)).for('update')
  return row
}

export async function removePolicy(tx: Db, organizationId: string, id: string): Promise<PolicyRow | undefined> {
  const [row] = await tx.delete(policies).where(one(organizationId, id)).returning()
  return row
}

export const listVersions = (
  db: Db,
  { organizationId, id }: PolicyRow,
  page: PageBounds,
): Promise<PageRows<PolicyVersionRow>> =>
  selectPage(
    db,
    policyVersions,
    and(eq(policyVersions.organizationId, organizationId), eq(policyVersions.policyId, id)),
    page,
  )

export async function insertOverride(
  tx: Db,
  row: Omit<typeof policyOverrides.$inferInsert, 'id'>,
): Promise<PolicyOverrideRow> {
  const [inserted] = await tx
    .insert(policyOverrides)
    .values({ id: newId('plo'), ...row })
    .returning()
  if (!inserted) throw new Error('the override was not inserted')
  // Whoever follows changes is told of it as one of the policy.
  await tx.update(policies).set({ updatedAt: sql`now()` }).where(one(row.organizationId, row.policyId))
  return inserted
}

export const listOverrides = (
  db: Db,
  { organizationId, id }: PolicyRow,
  page: PageBounds,
): Promise<PageRows<PolicyOverrideRow>> =>
  selectPage(
    db,
    policyOverrides,
    and(eq(policyOverrides.organizationId, organizationId), eq(policyOverrides.policyId, id)),
    page,
  )
