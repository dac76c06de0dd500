import { currentMinute, type LoadPastSubjects, loadScopes, loadStarters } from '../../gates/policy-subjects.ts'
import type { Scope } from '../../gates/scope.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { iacPlans } from '../../pipelines/iac-plans/tables.ts'
import { pipelineRuns } from '../../pipelines/pipelines/tables.ts'
import { alias, and, desc, eq, inArray, ne, or, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { stacks } from '../../stacks/stacks/tables.ts'
import { resourcesOfStep } from '../iac-resources/record.ts'
import { type PlanPolicyInput, toPlanPolicyInput, valuesIn } from './plan-subject.ts'

/** Maximum number of resource values that one expression can read. Older plans are omitted beyond it. */
const maxValues = 50_000

/** Returns the latest plans of a scope, whether applied or not, except drift checks. */
export const pastPlans: LoadPastSubjects = async (db, organizationId, wish) => {
  const rows = await latestPlans(db, organizationId, wish)
  const found: ((typeof rows)[number] & { seen: PlanPolicyInput })[] = []
  let left = maxValues
  for (const row of rows) {
    const seen = toPlanPolicyInput(row, await resourcesOfStep(db, organizationId, row.stepExecutionId))
    left -= valuesIn(seen.changes)
    if (left < 0 && found.length > 0) break
    found.push({ ...row, seen })
  }
  const placeOf = await loadScopes(db, organizationId, found)
  const starters = found.map(({ actsFor }) => actsFor)
  const starterOf = await loadStarters(db, organizationId, starters)
  return found.map(({ id: iacPlanId, pipelineRunId, createdAt, seen, stack, actsFor, ...row }) => ({
    of: { iacPlanId, pipelineRunId },
    createdAt,
    subject: { plan: seen, stack, ...placeOf(row), starter: starterOf(actsFor), now: currentMinute(createdAt) },
  }))
}

const ofStack = alias(moduleInstances, 'of_stack')
const ofRun = alias(moduleInstances, 'of_run')

/** Loads plans with their scope: that of the stack or, without one, that of the run's instance. */
async function latestPlans(db: Db, organizationId: string, { place, count }: { place: Scope; count: number }) {
  const { projectId, environmentId, moduleInstanceId } = place
  const where = and(
    eq(iacPlans.organizationId, organizationId),
    inArray(iacPlans.kind, ['PLAN', 'DESTROY']),
    projectId ? or(eq(stacks.projectId, projectId), eq(ofRun.projectId, projectId)) : undefined,
    environmentId ? eq(sql`coalesce(${ofStack.environmentId}, ${ofRun.environmentId})`, environmentId) : undefined,
    moduleInstanceId ? eq(sql`coalesce(${ofStack.id}, ${ofRun.id})`, moduleInstanceId) : undefined,
  )
  const { id, createdAt, kind, summary, review, stepExecutionId, pipelineRunId } = iacPlans
  const rows = await db
    .select({
      id,
      createdAt,
      kind,
      summary,
      review,
      stepExecutionId,
      pipelineRunId,
      actsFor: pipelineRuns.actsFor,
      stack: { id: stacks.id, givenId: stacks.givenId, name: stacks.name },
      ownProject: stacks.projectId,
      ofStack: { environmentId: ofStack.environmentId, moduleInstanceId: ofStack.id },
      ofRun: { projectId: ofRun.projectId, environmentId: ofRun.environmentId, moduleInstanceId: ofRun.id },
    })
    .from(iacPlans)
    .innerJoin(pipelineRuns, eq(pipelineRuns.id, iacPlans.pipelineRunId))
    .innerJoin(stacks, eq(stacks.id, iacPlans.stackId))
    .leftJoin(ofStack, and(eq(ofStack.stackId, stacks.id), ne(ofStack.status, 'DESTROYED')))
    .leftJoin(ofRun, eq(ofRun.id, pipelineRuns.moduleInstanceId))
    .where(where)
    .orderBy(desc(iacPlans.id))
    .limit(count)
  return rows.map(({ ownProject, ofStack, ofRun, ...row }) => ({
    ...row,
    projectId: ownProject,
    ...(ofStack ?? ofRun),
  }))
}
