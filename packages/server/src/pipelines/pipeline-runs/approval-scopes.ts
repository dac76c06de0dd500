import { hasTemplate } from '@sluice/expressions'
import { scopeOfInstance, scopesOfStacks } from '../../modules/module-instances/places.ts'
import { findInstanceNamed } from '../../modules/module-instances/store.ts'
import type { Scope } from '../../platform/auth/access.ts'
import { and, eq, inArray } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { findStackNamed } from '../../stacks/stacks/store.ts'
import type { StepConfig } from '../pipeline-versions/config/schema.ts'
import { begunBy, letGoBy, stepsOf } from '../pipeline-versions/config/steps.ts'
import { pipelineRuns, pipelineStepExecutions, pipelines, pipelineVersions } from '../pipelines/tables.ts'
import { environmentOf } from './context.ts'
import { scopesOfRuns } from './reach.ts'

type Place = { organizationId: string; projectId: string; environment: string | undefined }

/**
 * Where a decision about steps acts: where the steps release and change infrastructure that it lets go on. What only
 * templates name is not known yet; where nothing is, it is where the run is.
 */
export async function scopesOfApproval(db: Db, organizationId: string, ids: string[]): Promise<Scope[]> {
  const rows = await db
    .select({ step: pipelineStepExecutions, run: pipelineRuns, pipeline: pipelines, version: pipelineVersions })
    .from(pipelineStepExecutions)
    .innerJoin(pipelineRuns, eq(pipelineRuns.id, pipelineStepExecutions.pipelineRunId))
    .innerJoin(pipelines, eq(pipelines.id, pipelineRuns.pipelineId))
    .innerJoin(pipelineVersions, eq(pipelineVersions.id, pipelineRuns.pipelineVersionId))
    .where(and(eq(pipelineStepExecutions.organizationId, organizationId), inArray(pipelineStepExecutions.id, ids)))
  const scopes = rows.map(async ({ step, run, pipeline, version }) => {
    const steps = stepsOf(version.config)
    const environment = (await environmentOf(db, run))?.givenId
    const place = { organizationId, projectId: pipeline.projectId, environment }
    const found = await Promise.all(letGoBy(steps, step.stepId).map((one) => targetsOf(db, place, steps, one)))
    const targets = found.flat()
    return targets.length > 0 ? targets : scopesOfRuns(db, organizationId, [run.id])
  })
  return (await Promise.all(scopes)).flat()
}

async function targetsOf(db: Db, place: Place, steps: readonly StepConfig[], step: StepConfig): Promise<Scope[]> {
  const begun = steps.find(({ id }) => id === begunBy(steps, step))
  const { type, with: given = {} } = begun ?? step
  if (type === 'deploy') return instanceOf(db, place, given)
  return type.startsWith('iac:') ? stackOf(db, place, given) : []
}

async function instanceOf(db: Db, place: Place, given: Record<string, unknown>): Promise<Scope[]> {
  const id = literal(given.module_instance_id)
  const givenId = literal(given.module_instance)
  const environment = given.environment === undefined ? place.environment : literal(given.environment)
  if (id === undefined && (givenId === undefined || environment === undefined)) return []
  const named = id === undefined ? { givenId: givenId ?? '', environment: environment ?? '' } : { id }
  const instanceId = await findInstanceNamed(db, place, named)
  const scope = instanceId === undefined ? undefined : await scopeOfInstance(db, place.organizationId, instanceId)
  return scope ? [scope] : []
}

async function stackOf(db: Db, place: Place, given: Record<string, unknown>): Promise<Scope[]> {
  const named = { id: literal(given.stack_id), givenId: literal(given.stack) }
  const stackId = await findStackNamed(db, place, named)
  return stackId === undefined ? [] : scopesOfStacks(db, place.organizationId, [stackId])
}

const literal = (value: unknown): string | undefined =>
  typeof value === 'string' && !hasTemplate(value) ? value : undefined
