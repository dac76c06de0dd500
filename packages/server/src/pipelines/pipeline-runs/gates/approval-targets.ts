import { hasTemplate } from '@sluice/expressions'
import type { Scope } from '../../../gates/scope.ts'
import { placeOfStack, scopeOfInstance } from '../../../modules/module-instances/places.ts'
import { findInstanceNamed } from '../../../modules/module-instances/store.ts'
import { and, eq, inArray } from '../../../platform/db/drizzle.ts'
import type { Db } from '../../../platform/db/open.ts'
import { findStackNamed } from '../../../stacks/stacks/store.ts'
import type { StepConfig } from '../../pipeline-versions/config/schema.ts'
import { continuedStep, stepsOf, stepsReleasedBy } from '../../pipeline-versions/config/steps.ts'
import {
  type PipelineRow,
  type PipelineRunRow,
  type PipelineStepExecutionRow,
  type PipelineVersionRow,
  pipelineRuns,
  pipelineStepExecutions,
  pipelines,
  pipelineVersions,
} from '../../pipelines/tables.ts'
import { environmentOf } from '../context.ts'

/** Step that waits for approval, with its run and pipeline. */
export type Approval = {
  step: PipelineStepExecutionRow
  run: PipelineRunRow
  pipeline: PipelineRow
  version: PipelineVersionRow
}

/** Target that a step releases to, or stack that it changes. */
export type GuardedResource = { moduleInstanceId: string } | { stackId: string }

export const findApprovals = (db: Db, organizationId: string, ids: string[]): Promise<Approval[]> =>
  db
    .select({ step: pipelineStepExecutions, run: pipelineRuns, pipeline: pipelines, version: pipelineVersions })
    .from(pipelineStepExecutions)
    .innerJoin(pipelineRuns, eq(pipelineRuns.id, pipelineStepExecutions.pipelineRunId))
    .innerJoin(pipelines, eq(pipelines.id, pipelineRuns.pipelineId))
    .innerJoin(pipelineVersions, eq(pipelineVersions.id, pipelineRuns.pipelineVersionId))
    .where(and(eq(pipelineStepExecutions.organizationId, organizationId), inArray(pipelineStepExecutions.id, ids)))

type Place = { organizationId: string; projectId: string; environment: string | undefined }

/**
 * Returns the targets of the steps that an approval lets continue. Excludes those that only templates name, which are
 * unknown yet.
 */
export async function targetsOf(db: Db, { step, run, pipeline, version }: Approval): Promise<GuardedResource[]> {
  const { organizationId, projectId } = pipeline
  const steps = stepsOf(version.config)
  const environment = (await environmentOf(db, run))?.givenId
  const place = { organizationId, projectId, environment }
  const found = await Promise.all(stepsReleasedBy(steps, step.stepId).map((one) => targetOf(db, place, steps, one)))
  return found.filter((target) => target !== undefined)
}

async function targetOf(
  db: Db,
  place: Place,
  steps: readonly StepConfig[],
  step: StepConfig,
): Promise<GuardedResource | undefined> {
  const begun = steps.find(({ id }) => id === continuedStep(steps, step))
  const { type, with: given = {} } = begun ?? step
  if (type === 'deploy') return instanceOf(db, place, given)
  return type.startsWith('iac:') ? stackOf(db, place, given) : undefined
}

async function instanceOf(db: Db, place: Place, given: Record<string, unknown>): Promise<GuardedResource | undefined> {
  const id = literal(given.module_instance_id)
  const givenId = literal(given.module_instance)
  const environment = given.environment === undefined ? place.environment : literal(given.environment)
  if (id === undefined && (givenId === undefined || environment === undefined)) return undefined
  const named = id === undefined ? { givenId: givenId ?? '', environment: environment ?? '' } : { id }
  const moduleInstanceId = await findInstanceNamed(db, place, named)
  return moduleInstanceId === undefined ? undefined : { moduleInstanceId }
}

async function stackOf(db: Db, place: Place, given: Record<string, unknown>): Promise<GuardedResource | undefined> {
  const named = { id: literal(given.stack_id), givenId: literal(given.stack) }
  const stackId = await findStackNamed(db, place, named)
  return stackId === undefined ? undefined : { stackId }
}

const literal = (value: unknown): string | undefined =>
  typeof value === 'string' && !hasTemplate(value) ? value : undefined

/**
 * Returns the scope in which a step changes infrastructure: that of its stack. A stack without an instance, changed by
 * an instance's run, has the scope of the instance.
 */
export async function scopeOfStep(
  db: Db,
  { organizationId, moduleInstanceId }: PipelineRunRow,
  { stackId }: Pick<PipelineStepExecutionRow, 'stackId'>,
): Promise<Scope> {
  const ofStack = stackId === null ? undefined : await placeOfStack(db, organizationId, stackId)
  if (ofStack?.moduleInstanceId || moduleInstanceId === null) return ofStack ?? {}
  return { ...ofStack, ...(await scopeOfInstance(db, organizationId, moduleInstanceId)), moduleInstanceId }
}
