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
import { apart } from '../pipeline-versions/config/verbatim.ts'
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

/** What something is called, for templates. */
type Named = { id: string; givenId: string; name: string }

/** All that the templates of a run can read. */
export type RunContext = {
  run: PipelineRunRow
  pipeline: PipelineRow
  project: Named
  /** Of the module instance that the run is about, if it is about one. */
  environment: Named | null
  config: PipelineConfig
  /** In the order of the config. */
  steps: PipelineStepExecutionRow[]
  defaults: NearestDefault[]
  /** The membership or service account that wrote the version; null where nobody of the organization did. */
  versionAuthorId: string | null
  seal: Seal
}

/** What a template came to, and the secrets that may be in it: keep them out of whatever is shown or stored. */
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

/** Loads what the templates of a run can read. */
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

/** The environment of the module instance that a run is about, if it is about one. */
export async function environmentOf(
  db: Db,
  { organizationId, moduleInstanceId }: { organizationId: string; moduleInstanceId?: string | null | undefined },
): Promise<EnvironmentRow | null> {
  if (!moduleInstanceId) return null
  return (await findEnvironmentOfInstance(db, organizationId, moduleInstanceId)) ?? null
}

/**
 * Renders the `with` of a step.
 * @throws {ExpressionError} with every fault, each with its path such as `steps.build.with.argv[1]`.
 */
export function renderStep(context: RunContext, { id, type, with: given = {}, matrix }: StepConfig): Rendered<Json> {
  const { rest, together } = apart(given)
  const path = `steps.${id}.with`
  const mayRead = (at: string) => takesSecrets(type, at.slice(path.length + 1))
  const { value, secrets } = renderValue(context, rest, path, { mayRead, more: matrixRoot(matrix) })
  return { value: together(value as Json), secrets }
}

/** The `with` of a step as it stands, where there is no template in it: nothing of its run is to be read for it. */
export function plainWith({ with: given = {} }: StepConfig): Json | undefined {
  return JSON.stringify(apart(given).rest).includes('<<') ? undefined : given
}

/**
 * Whether the `when` of a step lets it run; without one it does. What counts as false is what does in templates: null,
 * false, 0 and empty text. `needs` is what the template may ask about the steps before.
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
 * Renders what an approval asks; undefined where it asks nothing.
 * @throws {ExpressionError}
 */
export function renderApprovalMessage(context: RunContext, step: StepConfig): string | undefined {
  const { id, approval, matrix } = step
  if (approval?.message === undefined) return undefined
  const { value } = renderValue(context, approval.message, `steps.${id}.approval.message`, { more: matrixRoot(matrix) })
  return textOf(value)
}

/** The values of a step of a matrix, for its templates. */
const matrixRoot = (matrix: StepConfig['matrix']): Json => (matrix ? { matrix: matrix.values } : {})

type Reading = {
  /** Roots that exist only there. */
  more?: Json
  /** Where templates may read what is sensitive; without it, nowhere. */
  mayRead?: (path: string) => boolean
}

/**
 * Renders a value of the run's config that stands at `path`. What a template makes of a secret is one too.
 * @throws {ExpressionError} with every fault, such as a secret that is read where it must not be.
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

/** What templates can read of a run before any of its steps has begun. */
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

/** What something is called, as templates read it. */
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

/** The steps of a matrix as one: their outputs in order, and the first status other than success. */
const wholeOf = (steps: readonly { status: PipelineStepExecutionRow['status']; output: unknown }[]) => ({
  status: steps.find(({ status }) => status !== 'SUCCESS')?.status ?? 'SUCCESS',
  output: steps.map(({ output }) => output),
})

/** As text within a text: nothing for null, JSON for what is no plain value. */
export const textOf = (value: unknown): string => {
  if (value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
