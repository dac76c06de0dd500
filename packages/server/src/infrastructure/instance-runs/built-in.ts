import { isDeepStrictEqual } from 'node:util'
import type { Action } from '../../modules/module-instances/machine.ts'
import { findLatestPipelineVersion, insertPipelineVersion } from '../../pipelines/pipeline-versions/store.ts'
import { takeNextVersion } from '../../pipelines/pipelines/store.ts'
import { type PipelineRow, pipelines } from '../../pipelines/pipelines/tables.ts'
import { and, eq } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { newId } from '../../platform/ids.ts'

type Json = Record<string, unknown>

/** Inputs that every stack block can pass to a run. A custom pipeline declares the ones it uses. */
const inputs = [
  { id: 'stack_id', type: 'string', required: true },
  ...['workspace', 'tool', 'tool_version', 'cloud_account_id', 'cloud_region', 'execution_environment_id'].map(
    (id) => ({ id, type: 'string' }),
  ),
  ...['code_source_id', 'repo', 'branch', 'ref', 'base_path'].map((id) => ({ id, type: 'string' })),
  { id: 'files', type: 'object' },
  { id: 'iac_variables', type: 'object' },
  { id: 'iac_variable_files', type: 'array' },
  { id: 'environment_variables', type: 'object' },
]

/** Files in the configuration, a connected repository, or a public one. */
const source = `<< inputs.files
  ? {files: inputs.files, base_path: inputs.base_path}
  : inputs.code_source_id
    ? {code_source_id: inputs.code_source_id, ref: inputs.ref || inputs.branch, base_path: inputs.base_path}
    : {repo: inputs.repo, ref: inputs.ref || inputs.branch, base_path: inputs.base_path} >>`

const plan = {
  stack_id: '<< inputs.stack_id >>',
  workspace: '<< inputs.workspace >>',
  source,
  tool: '<< inputs.tool || "iac" >>',
  tool_version: '<< inputs.tool_version >>',
  variables: '<< inputs.iac_variables || {} >>',
  variable_files: ['...<< inputs.iac_variable_files >>'],
  environment_variables: '<< inputs.environment_variables || {} >>',
  cloud_account_id: '<< inputs.cloud_account_id >>',
  cloud_region: '<< inputs.cloud_region >>',
}

/** Allows one run per stack at a time; others queue. */
const concurrency = { group: 'stack << inputs.stack_id >>', policy: 'queue' }

/** Retry policy for plans, which change nothing. A state locked by an apply may be free a minute later. */
const retryPolicy = { attempts: 3, backoff_seconds: 60 }

export const builtIn = {
  plan: {
    givenId: 'infrastructure-plan',
    name: 'Plan infrastructure',
    description: 'Plans the changes of a module instance, and changes nothing. Comes with Sluice.',
    config: {
      inputs,
      concurrency: { ...concurrency, group: 'plan of stack << inputs.stack_id >>' },
      steps: [{ id: 'plan', name: 'Plan the changes', type: 'iac:plan', with: plan, retry: retryPolicy }],
    },
  },
  drift: {
    givenId: 'infrastructure-drift',
    name: 'Look for drift',
    description: 'Looks for what others changed of a module instance, and changes nothing. Comes with Sluice.',
    config: {
      inputs,
      concurrency: { ...concurrency, group: 'drift of stack << inputs.stack_id >>' },
      steps: [{ id: 'look', name: 'Look for drift', type: 'iac:drift', with: plan, retry: retryPolicy }],
    },
  },
  change: {
    givenId: 'infrastructure-change',
    name: 'Change infrastructure',
    description: 'Plans the changes of a module instance, waits for approval, and applies them. Comes with Sluice.',
    config: {
      inputs,
      concurrency,
      steps: [
        { id: 'plan', name: 'Plan the changes', type: 'iac:plan', with: plan },
        { id: 'approve', name: 'Approve the plan', type: 'approval' },
        { id: 'apply', name: 'Apply the plan', type: 'iac:apply', with: { plan: 'plan' } },
      ],
    },
  },
  destroy: {
    givenId: 'infrastructure-destroy',
    name: 'Destroy infrastructure',
    description: 'Plans the end of a module instance, waits for approval, and destroys it. Comes with Sluice.',
    config: {
      inputs,
      concurrency,
      steps: [
        { id: 'plan', name: 'Plan the end', type: 'iac:plan', with: { ...plan, destroy: true } },
        { id: 'approve', name: 'Approve the end', type: 'approval' },
        { id: 'apply', name: 'Destroy', type: 'iac:apply', with: { plan: 'plan' } },
      ],
    },
  },
} as const satisfies Record<
  Action | 'plan' | 'drift',
  { givenId: string; name: string; description: string; config: Json }
>

/**
 * Returns the project's pipeline that plans, changes or destroys infrastructure, creating it on first use. Users can
 * publish their own version, which Sluice then never changes.
 */
export async function builtInPipeline(
  tx: Db,
  organizationId: string,
  projectId: string,
  action: keyof typeof builtIn,
): Promise<PipelineRow> {
  const { config, ...named } = builtIn[action]
  await tx
    .insert(pipelines)
    .values({ ...named, id: newId('pl'), organizationId, projectId })
    .onConflictDoNothing({ target: [pipelines.projectId, pipelines.givenId] })
  const ofProject = and(eq(pipelines.organizationId, organizationId), eq(pipelines.projectId, projectId))
  const [pipeline] = await tx
    .select()
    .from(pipelines)
    .where(and(ofProject, eq(pipelines.givenId, named.givenId)))
    .for('update')
  if (!pipeline) throw new Error(`the pipeline ${named.givenId} was not made`)
  const latest = await findLatestPipelineVersion(tx, organizationId, pipeline.id)
  const isCurrent = latest && (latest.createdById !== null || isDeepStrictEqual(latest.config, config))
  if (isCurrent) return pipeline
  const version = await takeNextVersion(tx, organizationId, pipeline.id)
  if (version === undefined) throw new Error(`the pipeline ${pipeline.id} is gone`)
  await insertPipelineVersion(tx, organizationId, { pipelineId: pipeline.id, version, config })
  return pipeline
}
