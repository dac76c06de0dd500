import type { PolicyGuards, PolicyRules } from '@sluice/contract'
import { type AnyPgColumn, and, asc, eq, type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { newId } from '../../platform/ids.ts'
import { present } from '../../platform/present.ts'
import { overrideStore, ruleStore } from '../rule-store.ts'
import {
  type PolicyOverrideRow,
  type PolicyRow,
  type PolicyVersionRow,
  policies,
  policyOverrides,
  policyVersions,
} from './tables.ts'

export const policyStore = ruleStore(policies, 'policy', 'pol')
const overrideRows = overrideStore(policyOverrides, policyOverrides.policyId, 'plo')
export const { inForce: overridesInForce, list: listOverrides } = overrideRows

const inForce = (organizationId: AnyPgColumn | string, guards: PolicyGuards) =>
  and(eq(policies.organizationId, organizationId), eq(policies.guards, guards), eq(policies.isEnabled, true))

/** Subquery: whether the organization has policies for this type of subject. */
export const hasPolicies = (organizationId: AnyPgColumn, guards: PolicyGuards): SQL<boolean> =>
  sql<boolean>`exists (select from ${policies} where ${inForce(organizationId, guards)})`

/** Subquery: whether the organization has policies that require approvals of plans. */
export const hasPoliciesAskingOfPlans = (organizationId: AnyPgColumn): SQL<boolean> =>
  sql<boolean>`exists (select from ${policies} where ${and(inForce(organizationId, 'PLANS'), eq(policies.effect, 'REQUIRE_APPROVAL'))})`

/** Returns the policies of an organization for this type of subject, in any scope. */
export const policiesInForce = (db: Db, organizationId: string, guards: PolicyGuards): Promise<PolicyRow[]> =>
  db.select().from(policies).where(inForce(organizationId, guards)).orderBy(asc(policies.id))

export async function insertPolicy(
  tx: Db,
  row: Omit<typeof policies.$inferInsert, 'id' | 'version'>,
): Promise<PolicyRow> {
  const inserted = await policyStore.insert(tx, { version: 1, ...row })
  await keepVersion(tx, inserted, inserted.createdBy)
  return inserted
}

/** Updates a locked policy, and stores its new content as its next version. */
export async function updatePolicy(
  tx: Db,
  id: string,
  changes: Partial<PolicyRules>,
  writtenBy: string,
): Promise<PolicyRow> {
  const row = await policyStore.update(tx, id, { ...changes, version: sql`${policies.version} + 1` })
  await keepVersion(tx, row, writtenBy)
  return row
}

async function keepVersion(tx: Db, row: PolicyRow, createdBy: string): Promise<void> {
  const { organizationId, id: policyId, projectId, environmentId, moduleInstanceId, version } = row
  await tx.insert(policyVersions).values({
    id: newId('plr'),
    organizationId,
    policyId,
    projectId,
    environmentId,
    moduleInstanceId,
    version,
    rules: rulesOf(row),
    createdBy,
  })
}

/** Returns the content of a policy. */
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
  const inserted = await overrideRows.insert(tx, row)
  // Subscribers see an override as a change of the policy.
  await policyStore.update(tx, row.policyId, {})
  return inserted
}
