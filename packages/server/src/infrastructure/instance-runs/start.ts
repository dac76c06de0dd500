import { failures } from '@sluice/contract'
import { findCodeSourceAt } from '../../git/code-sources/store.ts'
import type { Author } from '../../identity/audit-events/author.ts'
import { recordChange } from '../../identity/audit-events/record.ts'
import { inputInvalid } from '../../modules/module-instances/draft.ts'
import type { InstanceNode } from '../../modules/module-instances/graph.ts'
import { withState } from '../../modules/module-instances/infrastructure.ts'
import { faultLine } from '../../modules/module-instances/inputs/resolve.ts'
import { loadGraph } from '../../modules/module-instances/load.ts'
import { type Action, statusDuring } from '../../modules/module-instances/machine.ts'
import { createStackOf, hasStackBlock } from '../../modules/module-instances/place.ts'
import type { RunOrder, StartedRuns } from '../../modules/module-instances/runs.ts'
import { renderStack } from '../../modules/module-instances/stack-block.ts'
import { updateModuleInstance } from '../../modules/module-instances/store.ts'
import { type ModuleInstanceRow, moduleInstanceApplies } from '../../modules/module-instances/tables.ts'
import { startRun } from '../../pipelines/pipeline-runs/start.ts'
import { supersedeOfTrigger } from '../../pipelines/pipeline-runs/store.ts'
import { configOf } from '../../pipelines/pipeline-versions/config/steps.ts'
import { findLatestPipelineVersion } from '../../pipelines/pipeline-versions/store.ts'
import {
  type PipelineRow,
  type PipelineRunRow,
  type PipelineVersionRow,
  pipelines,
  type RunTrigger,
} from '../../pipelines/pipelines/tables.ts'
import { and, eq, or } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { listed } from '../../platform/http/listed.ts'
import { present } from '../../platform/present.ts'
import { nearestDefaults } from '../../projects/default-values/nearest.ts'
import { stackWorkspaces } from '../../stacks/stacks/tables.ts'
import { builtInPipeline } from './built-in.ts'
import { executionEnvironmentOfInput } from './place.ts'
import type { Variant } from './trigger.ts'

type Json = Record<string, unknown>

/** Inputs from which a run was rendered. Stored with it, because later changes do not count as applied. */
export type RunSubject = { action: Action; module_version_id: string; input: Json }

/** What started a run: a trigger of the stack block, or a scheduled drift check. */
export type RunTriggerContext = {
  kind: RunTrigger['kind']
  variant: Variant
  /** Additional inputs from the published trigger. */
  input: unknown
  /** Data that templates read as `trigger.payload`. */
  payload: Json
  /** Author of the commit, as Git has it. */
  authors?: string[]
}

/**
 * Starts a run that changes or destroys the infrastructure of a locked instance and sets its status. The caller
 * notifies the engine after the commit. @throws {ApiError} stackNotAvailable, stackInvalid, moduleInputInvalid, and
 * errors of `startRun`
 */
export async function startInstanceRun(
  tx: Db,
  locked: ModuleInstanceRow,
  action: Action,
  { author, isAutoApproved, triggerSource, triggeredBy, now, setOff }: RunOrder & { setOff?: RunTriggerContext },
): Promise<StartedRuns> {
  const instance = await withStack(tx, locked)
  const { organizationId, id, projectId, environmentId, stackId } = instance
  const graph = await loadGraph(tx, organizationId, [id])
  const placed = graph.find(id)
  const { values, faults } = graph.resolve(id)
  // A destroy tolerates invalid inputs.
  if (action === 'change' && faults.length > 0) throw inputInvalid(placed, faults.map(faultLine), faults)
  const nearest = await nearestDefaults(tx, organizationId, { projectId, environmentId })
  const stack = renderStack({ placed, values, nearest, action, setOff })
  if ('faults' in stack) throw stackInvalid(placed, stack.faults)

  const variant = setOff?.variant ?? 'standard'
  const does = variant === 'standard' ? action : variant
  const changesNothing = does === 'plan' || does === 'drift'
  // A custom pipeline's changes are unsuitable for a drift check.
  const ownPipelineId = does === 'drift' ? undefined : stack.pipelineId
  const pipeline = ownPipelineId
    ? await namedPipeline(tx, placed, organizationId, ownPipelineId)
    : await builtInPipeline(tx, organizationId, projectId, does)
  const version = await findLatestPipelineVersion(tx, organizationId, pipeline.id)
  if (does === 'plan' && ownPipelineId && !declares(version, 'variant')) {
    const why = `${pipeline.givenId} has no input \`variant\`, so it cannot plan without applying`
    throw stackInvalid(placed, [`stack.pipelines.change.pipeline_id: ${why}`])
  }
  const workspace = await workspaceOf(tx, organizationId, stackId, stack.workspace)
  const codeSourceId = await codeSourceOf(tx, organizationId, stack.inputs.repo)
  const place = await executionEnvironmentOfInput(tx, organizationId, [values, stack.inputs], action)
  const added = {
    variant,
    ...(workspace !== null && { workspace }),
    ...(codeSourceId && { code_source_id: codeSourceId }),
  }
  const subject = { action: does, module_version_id: placed.version.id, input: values }
  const run = await startRun(
    tx,
    {
      organizationId,
      pipeline,
      version,
      inputs: declaredOf(version, { ...place.inputs, ...stack.inputs, ...added }),
      description: `${verbs[does]} the infrastructure of ${instance.givenId}`,
      trigger: {
        kind: setOff?.kind ?? 'manual',
        payload: { ...setOff?.payload, ...subject },
        ...present({ authors: setOff?.authors }),
      },
      author,
      triggerSource,
      triggeredBy,
      moduleInstanceId: id,
      executionEnvironmentId: place.id,
      isAutoApproved,
    },
    now,
  )
  const superseded = setOff?.kind === 'push' ? await supersedeEarlier(tx, run, author, now) : []
  const runIds = [run.id, ...run.superseded, ...superseded]
  if (changesNothing) return { instances: [instance], runIds }
  return { instances: [await setInProgress(tx, instance, action, run.id)], runIds }
}

/** Sets a locked instance's status to in progress and removes it from the apply queue. */
export async function setInProgress(
  tx: Db,
  { organizationId, id }: ModuleInstanceRow,
  action: Action,
  latestRunId: string,
): Promise<ModuleInstanceRow> {
  await tx
    .delete(moduleInstanceApplies)
    .where(
      and(eq(moduleInstanceApplies.organizationId, organizationId), eq(moduleInstanceApplies.moduleInstanceId, id)),
    )
  const changes = { status: statusDuring[action], error: null, latestRunId }
  const updated = await updateModuleInstance(tx, organizationId, id, changes)
  if (!updated) throw new Error(`the module instance ${id} is gone`)
  return updated
}

const verbs = {
  change: 'Change',
  destroy: 'Destroy',
  plan: 'Plan',
  drift: 'Look for drift in',
} as const satisfies Record<Action | Exclude<Variant, 'standard'>, string>

const declares = (version: PipelineVersionRow | undefined, input: string): boolean =>
  version !== undefined && (configOf(version).inputs ?? []).some(({ id }) => id === input)

/** Supersedes earlier runs of the same trigger that wait for approval, because their commits are outdated. */
async function supersedeEarlier(tx: Db, run: PipelineRunRow, author: Author, now: Date): Promise<string[]> {
  const { id, triggeredBy } = run
  const error = {
    code: failures.runSuperseded.code,
    message: `The run ${id}, set off by ${triggeredBy}, took its place.`,
    metadata: { pipelineRunId: id, supersededBy: triggeredBy },
  }
  const ids = await supersedeOfTrigger(tx, run, { by: triggeredBy, at: now.toISOString(), error }, now)
  for (const resourceId of ids) {
    const details = { supersededByRunId: id, supersededBy: triggeredBy }
    const change = { action: 'pipeline-runs.supersede', resourceType: 'pipeline-run', resourceId, details }
    await recordChange(tx, author, change)
  }
  return ids
}

/** Returns the instance with its stack, creating the stack if it is missing. */
export async function withStack(tx: Db, instance: ModuleInstanceRow): Promise<ModuleInstanceRow & { stackId: string }> {
  const { organizationId, id, stackId } = instance
  if (stackId !== null) return { ...instance, stackId }
  const placed = (await loadGraph(tx, organizationId, [id])).find(id)
  if (!hasStackBlock(placed.version)) {
    const message = `The module of ${instance.givenId} has no stack: there is no infrastructure to change.`
    throw new ApiError('stackNotAvailable', message)
  }
  const created = await createStackOf(tx, organizationId, placed, instance)
  await updateModuleInstance(tx, organizationId, id, { stackId: created })
  return { ...instance, stackId: created }
}

async function namedPipeline(tx: Db, placed: InstanceNode, organizationId: string, name: string): Promise<PipelineRow> {
  const ofProject = and(eq(pipelines.projectId, placed.projectId), eq(pipelines.givenId, name))
  const [pipeline] = await tx
    .select()
    .from(pipelines)
    .where(and(eq(pipelines.organizationId, organizationId), or(eq(pipelines.id, name), ofProject)))
    .for('key share')
  if (pipeline) return pipeline
  throw stackInvalid(placed, [`stack.pipelines: there is no pipeline ${name} in this organization`])
}

/** Returns the inputs that the pipeline declares. */
function declaredOf(version: PipelineVersionRow | undefined, inputs: Json): Json {
  const ids = new Set(version ? (configOf(version).inputs ?? []).map(({ id }) => id) : [])
  return Object.fromEntries(Object.entries(inputs).filter(([id]) => ids.has(id)))
}

/**
 * Returns the workspace name. A workspace with a state keeps its name when the instance is renamed, because another
 * name would be another state.
 */
async function workspaceOf(
  tx: Db,
  organizationId: string,
  stackId: string,
  wished: string | null,
): Promise<string | null> {
  if (wished === null) return null
  const rows = await tx
    .select({ name: stackWorkspaces.name })
    .from(stackWorkspaces)
    .where(withState(organizationId, stackId))
    .limit(2)
  return rows.some(({ name }) => name === wished) ? wished : (rows[0]?.name ?? wished)
}

/** Returns the id of the code source for a repository, which gives access if it is private. */
const codeSourceOf = async (tx: Db, organizationId: string, repo: unknown): Promise<string | undefined> =>
  typeof repo === 'string' ? (await findCodeSourceAt(tx, organizationId, repo))?.id : undefined

const stackInvalid = ({ givenId }: InstanceNode, items: string[]): ApiError =>
  new ApiError('stackInvalid', `Cannot start the run that the stack block of ${givenId} describes.`, {
    description: "Mend the module version's stack block, the default values or the instance's inputs.",
    details: listed('Stack', items),
  })
