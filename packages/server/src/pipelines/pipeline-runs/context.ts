import { renderSensitive } from '@sluice/expressions'
import { findEnvironmentOfInstance } from '../../modules/module-instances/store.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import { and, eq, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { prepared } from '../../platform/db/prepared.ts'
import { defaultsRoot, type NearestDefault, nearestDefaults } from '../../projects/default-values/nearest.ts'
import { type EnvironmentRow, projects } from '../../projects/projects/tables.ts'
import type { PipelineConfig, StepConfig } from '../pipeline-versions/config/schema.ts'
import { configOf } from '../pipeline-versions/config/steps.ts'
import { takesSecrets } from '../pipeline-versions/config/takes-secrets.ts'
import { separateProgramTexts } from '../pipeline-versions/config/verbatim.ts'
import {
  type PipelineRow,
  type PipelineRunRow,
  type PipelineStepExecutionRow,
  pipelineRuns,
  pipelines,
  pipelineVersions,
} from '../pipelines/tables.ts'
import { secretTexts } from './secrets.ts'
import { stepsOfRun } from './store.ts'

type Json = Record<string, unknown>

/** Names of a record in templates. */
type Named = { id: string; givenId: string; name: string }

/** Data that the templates of a run can read. */
export type RunContext = {
  run: PipelineRunRow
  pipeline: PipelineRow
  project: Named
  /** Environment of the run's module instance, if it has one. */
  environment: Named | null
  config: PipelineConfig
  /** In the order of the config. */
  steps: PipelineStepExecutionRow[]
  defaults: NearestDefault[]
  /** Id of the membership or service account that saved the version; null if there is none in the organization. */
  versionAuthorId: string | null
  seal: Seal
}

/** Rendered template, and the secrets that it may contain, which must never be shown or stored. */
export type Rendered<T = unknown> = { value: T; secrets: string[] }

const found = prepared((db) =>
  db
    .select({ run: pipelineRuns, pipeline: pipelines, project: projects, version: pipelineVersions })
    .from(pipelineRuns)
    .innerJoin(pipelines, eq(pipelines.id, pipelineRuns.pipelineId))
    .innerJoin(projects, eq(projects.id, pipelines.projectId))
    .innerJoin(pipelineVersions, eq(pipelineVersions.id, pipelineRuns.pipelineVersionId))
    .where(
      and(
        eq(pipelineRuns.organizationId, sql.placeholder('organizationId')),
        eq(pipelineRuns.id, sql.placeholder('id')),
      ),
    )
    .prepare('find_context_of_run'),
)

/** Loads the data that the templates of a run can read. */
export async function loadRunContext(db: Db, seal: Seal, { organizationId, id }: RunKey): Promise<RunContext> {
  const [one] = await found(db).execute({ organizationId, id })
  if (!one) throw new Error(`the run ${id} or its pipeline is gone`)
  const { run, pipeline, project, version } = one
  const environment = await environmentOf(db, run)
  const place = { projectId: project.id, environmentId: environment?.id }
  return {
    run,
    pipeline,
    project,
    environment,
    config: configOf(version),
    steps: await stepsOfRun(db).execute({ organizationId, id }),
    defaults: await nearestDefaults(db, organizationId, place),
    versionAuthorId: version.createdById,
    seal,
  }
}

type RunKey = Pick<PipelineRunRow, 'organizationId' | 'id'>

/** Returns the environment of a run's module instance, if it has one. */
export async function environmentOf(
  db: Db,
  { organizationId, moduleInstanceId }: { organizationId: string; moduleInstanceId?: string | null | undefined },
): Promise<EnvironmentRow | null> {
  if (!moduleInstanceId) return null
  return (await findEnvironmentOfInstance(db, organizationId, moduleInstanceId)) ?? null
}

/**
 * Renders the `with` section of a step.
 * @throws {ExpressionError} with every error, each with its path such as `steps.build.with.argv[1]`
 */
export function renderStep(context: RunContext, { id, type, with: given = {}, matrix }: StepConfig): Rendered<Json> {
  const { rest, together } = separateProgramTexts(given)
  const path = `steps.${id}.with`
  const mayRead = (at: string) => takesSecrets(type, at.slice(path.length + 1))
  const { value, secrets } = renderValue(context, rest, path, { mayRead, more: matrixRoot(matrix) })
  return { value: together(value as Json), secrets }
}

/** Returns the `with` section of a step if it contains no template, so that no data of the run has to be loaded. */
export function plainWith({ with: given = {} }: StepConfig): Json | undefined {
  return JSON.stringify(separateProgramTexts(given).rest).includes('<<') ? undefined : given
}

/**
 * Evaluates the `when` condition of a step; without one it is true. Null, false, 0 and empty text count as false.
 * `needs` has the results of previous steps.
 * @throws {ExpressionError}
 */
export function rendersTrue(
  context: RunContext,
  { id, when = true, matrix }: StepConfig,
  needs: { succeeded: boolean },
): boolean {
  const { value } = renderValue(context, when, `steps.${id}.when`, { more: { needs, ...matrixRoot(matrix) } })
  return value !== null && value !== false && value !== 0 && value !== ''
}

/**
 * Renders the message of an approval; undefined if it has none.
 * @throws {ExpressionError}
 */
export function renderApprovalMessage(context: RunContext, step: StepConfig): string | undefined {
  const { id, approval, matrix } = step
  if (approval?.message === undefined) return undefined
  const { value } = renderValue(context, approval.message, `steps.${id}.approval.message`, { more: matrixRoot(matrix) })
  return textOf(value)
}

/** Returns the matrix values of a step for its templates. */
const matrixRoot = (matrix: StepConfig['matrix']): Json => (matrix ? { matrix: matrix.values } : {})

type Reading = {
  /** Additional variables for this template. */
  more?: Json
  /** Decides which paths may contain sensitive values; by default, none. */
  mayRead?: (path: string) => boolean
}

/**
 * Renders the value at `path` of the run's config. A value derived from a secret is secret, too.
 * @throws {ExpressionError} with every error, such as a secret at a path that must not contain one
 */
export function renderValue(
  context: RunContext,
  value: unknown,
  path: string,
  { more = {}, mayRead = () => false }: Reading = {},
): Rendered {
  const opened: unknown[] = []
  const rootsWith = (reads: (name: string) => void): Json => {
    const defaults = defaultsRoot(context.seal, context.defaults, {
      reads,
      opened: (secret) => void opened.push(secret),
    })
    return { ...rootsOfRun(context), steps: stepsRoot(context), defaults, ...more }
  }
  const { value: rendered, derived } = renderSensitive(value, { rootsWith, mayRead }, path)
  return { value: rendered, secrets: [...new Set([...opened, ...derived].flatMap(secretTexts))] }
}

/** Returns the variables that templates can read before any step has started. */
export const rootsOfRun = ({
  run,
  pipeline,
  project,
  environment,
}: Pick<RunContext, 'pipeline' | 'project' | 'environment'> & {
  run: Pick<PipelineRunRow, 'id' | 'inputs' | 'trigger' | 'triggeredBy'> & { description?: string | null | undefined }
}): Json => ({
  inputs: run.inputs,
  pipeline: {
    ...namesOf(pipeline),
    run: { id: run.id, description: run.description ?? null, triggered_by: run.triggeredBy },
  },
  project: namesOf(project),
  environment: environment && namesOf(environment),
  trigger: run.trigger && { kind: run.trigger.kind, payload: run.trigger.payload ?? null },
})

/** Returns the names of a record as templates read them. */
export const namesOf = ({ id, givenId, name }: Named): Json => ({ id, given_id: givenId, name })

function stepsRoot({ steps, config }: RunContext): Json {
  const byId = new Map(steps.map(({ stepId, status, outputData }) => [stepId, { status, output: outputData }]))
  const ofMatrices = Map.groupBy(
    config.steps.filter(({ matrix }) => matrix),
    ({ matrix }) => matrix?.of ?? '',
  )
  const wholes = [...ofMatrices].map(([id, made]) => [id, wholeOf(made.flatMap((one) => byId.get(one.id) ?? []))])
  return Object.fromEntries([...byId, ...wholes])
}

/** Combines the steps of a matrix: their outputs in order, and the first status other than success. */
const wholeOf = (steps: readonly { status: PipelineStepExecutionRow['status']; output: unknown }[]) => ({
  status: steps.find(({ status }) => status !== 'SUCCESS')?.status ?? 'SUCCESS',
  output: steps.map(({ output }) => output),
})

/** Converts a value to text inside a text: empty for null, JSON for objects and lists. */
export const textOf = (value: unknown): string => {
  if (value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
