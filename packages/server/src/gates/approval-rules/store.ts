import type { UpdateApprovalRule } from '@sluice/contract'
import { type AnyPgColumn, and, eq, type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { newId } from '../../platform/ids.ts'
import type { Scope } from '../scope.ts'
import { type ApprovalRuleRow, approvalRules } from './tables.ts'

const one = (organizationId: string, id: string) =>
  and(eq(approvalRules.organizationId, organizationId), eq(approvalRules.id, id))

/** In a query over something else: whether its organization has approval rules at all, as with freezes. */
export const hasApprovalRules = (organizationId: AnyPgColumn): SQL<boolean> =>
  sql<boolean>`exists (select from ${approvalRules} where ${eq(approvalRules.organizationId, organizationId)})`

/** The same of rules that guard steps of any kind. */
export const hasStepRules = (organizationId: AnyPgColumn): SQL<boolean> =>
  sql<boolean>`exists (select from ${approvalRules} where ${and(eq(approvalRules.organizationId, organizationId), guardsSteps)})`

const guardsSteps = sql`${approvalRules.guards} <> '["DEPLOYMENTS"]'::jsonb`

/** All rules of an organization. */
export const allApprovalRules = (db: Db, organizationId: string): Promise<ApprovalRuleRow[]> =>
  db.select().from(approvalRules).where(eq(approvalRules.organizationId, organizationId)).orderBy(approvalRules.id)

export const countApprovalRules = (db: Db, organizationId: string): Promise<number> =>
  db.$count(approvalRules, eq(approvalRules.organizationId, organizationId))

export async function insertApprovalRule(
  tx: Db,
  row: Omit<typeof approvalRules.$inferInsert, 'id'>,
): Promise<ApprovalRuleRow> {
  const [inserted] = await tx
    .insert(approvalRules)
    .values({ id: newId('apr'), ...row })
    .returning()
  if (!inserted) throw new Error('the approval rule was not inserted')
  return inserted
}

export function listApprovalRules(
  db: Db,
  organizationId: string,
  { projectId, environmentId, moduleInstanceId }: { [level in keyof Scope]?: string },
  page: PageBounds,
): Promise<PageRows<ApprovalRuleRow>> {
  const where = and(
    eq(approvalRules.organizationId, organizationId),
    projectId === undefined ? undefined : eq(approvalRules.projectId, projectId),
    environmentId === undefined ? undefined : eq(approvalRules.environmentId, environmentId),
    moduleInstanceId === undefined ? undefined : eq(approvalRules.moduleInstanceId, moduleInstanceId),
  )
  return selectPage(db, approvalRules, where, page)
}

export async function findApprovalRule(
  db: Db,
  organizationId: string,
  id: string,
): Promise<ApprovalRuleRow | undefined> {
  const [row] = await db.select().from(approvalRules).where(one(organizationId, id))
  return row
}

/** The rule, which nobody else changes before the transaction ends. */
export async function lockApprovalRule(
  tx: Db,
  organizationId: string,
  id: string,
): Promise<ApprovalRuleRow | undefined> {
  const [row] = await tx.select().from(approvalRules).where(one(organizationId, id)).for('update')
  return row
}

export async function updateApprovalRule(tx: Db, id: string, changes: UpdateApprovalRule): Promise<ApprovalRuleRow> {
  const [row] = await tx
    .update(approvalRules)
    .set({ ...changes, updatedAt: sql`now()` })
    .where(eq(approvalRules.id, id))
    .returning()
  if (!row) throw new Error(`the approval rule ${id} was locked and is gone`)
  return row
}

export async function removeApprovalRule(
  tx: Db,
  organizationId: string,
  id: string,
): Promise<ApprovalRuleRow | undefined> {
  const [row] = await tx.delete(approvalRules).where(one(organizationId, id)).returning()
  return row
}
