import type { BuildOrder, OrderedLayers, OrderedSource } from '@sluice/contract/runner-protocol'
import { ExpressionError } from '@sluice/expressions'
import { Compile } from 'typebox/compile'
import type { Cloud } from '../../cloud/adapter/access.ts'
import { findExecutionEnvironment } from '../../cloud/execution-environments/store.ts'
import { findTarget } from '../../delivery/deployments/create/target.ts'
import { findCodeSourceAt } from '../../git/code-sources/store.ts'
import { findInstanceNamed } from '../../modules/module-instances/store.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import type { Database, Db } from '../../platform/db/open.ts'
import { faultsOf } from '../../platform/http/faults.ts'
import { present } from '../../platform/present.ts'
import { loadRunContext, renderStep } from '../pipeline-runs/context.ts'
import { missingPermission } from '../pipeline-runs/permissions.ts'
import { type StepWith, stepConfigs } from '../pipeline-versions/config/schema.ts'
import type { PipelineStepExecutionRow } from '../pipelines/tables.ts'
import { saveAttempt } from '../runner/claim.ts'
import { environmentOf } from '../runner/environment.ts'
import type { AttemptToOrder, BuildPlan, ImageDestination, MakeOrder, Ordered } from '../runner/order.ts'
import { sourceOf } from '../runner/source.ts'
import { NothingLeft, StepFailure } from '../runner/step-failure.ts'
import { readStoredVariables } from '../runner/stored-variables.ts'
import type { Build } from './block.ts'
import { layerCacheOf } from './layers.ts'
import { type RenderedBuild, renderBuild } from './render.ts'

type Given = StepWith<'build'>
type Json = Record<string, unknown>

export type BuildOrderParts = { seal: Seal; cloud: Cloud }

const Rendered = Compile(stepConfigs.build)

/** Creates the runner's instructions for a step of the type `build`. */
export const buildOrder =
  ({ ofOrganization, ...parts }: BuildOrderParts & Pick<Database, 'ofOrganization'>): MakeOrder =>
  (attempt) =>
    orderOf({ ...parts, db: ofOrganization(attempt.step.organizationId) }, attempt)

/**
 * Returns the requirements of a build that a build service executes: every image, and every build with an instance
 * size. Returns undefined for other builds and for errors, which the runner reports when it gets the attempt.
 */
export async function buildServiceRequirements(
  { db, seal }: { db: Db; seal: Seal },
  step: PipelineStepExecutionRow,
): Promise<{ size: string | undefined } | undefined> {
  const { organizationId, pipelineRunId } = step
  try {
    const context = await loadRunContext(db, seal, { organizationId, id: pipelineRunId })
    const own = context.config.steps.find(({ id }) => id === step.stepId)
    if (!own) return undefined
    const { run, config } = context
    const attempt = { run, config, step, with: renderStep(context, own).value, isNew: false }
    const given = givenTo(attempt)
    const found = await targetOf({ db, seal }, attempt, given)
    const rendered = await renderBuild(db, found, { inputs: given.inputs ?? {}, pipelineRunId, seal })
    if (rendered.verdict !== 'read') return undefined
    const { kind, instanceSize: size } = rendered.build
    return kind === 'image' || size !== undefined ? { size } : undefined
  } catch (error) {
    if (error instanceof StepFailure || error instanceof ExpressionError) return undefined
    throw error
  }
}

async function orderOf(parts: BuildOrderParts & { db: Db }, attempt: AttemptToOrder): Promise<Ordered> {
  const { db } = parts
  const { step } = attempt
  const { organizationId } = step
  const given = givenTo(attempt)
  const found = await targetOf(parts, attempt, given)
  const wish = { inputs: given.inputs ?? {}, pipelineRunId: step.pipelineRunId, seal: parts.seal }
  const { build, inputs, secrets } = readOrFailed(await renderBuild(db, found, wish), found.instance.givenId)
  const cloudAccountId = await accountOf(db, organizationId, build)
  const { region } = build.destination
  const kept = await readStoredVariables(parts, organizationId, { kept: build.kept, cloudAccountId, region })
  const own = environmentOf(given.environment_variables)
  const source = await sourceFor(db, attempt, given, build)
  const { id: moduleInstanceId, projectId, environmentId } = found.instance
  const madeOf = {
    moduleInstanceId,
    cloudAccountId,
    inputs,
    basePath: source.basePath,
    region,
    ...detailsOf(build),
    own,
  }
  const isForced = given.force === true || given.force === 'true'
  const of = layerCacheOf(moduleInstanceId, attempt.run.trigger)
  const layers = of === undefined ? undefined : { of, isFresh: isForced }
  const told = {
    moduleVersionId: found.instance.moduleVersionId,
    inputs,
    environment: build.environment,
    secrets: Object.keys({ ...kept, ...own }).sort(),
  }
  const plan = { madeOf, isForced, instance: { id: moduleInstanceId, projectId, environmentId }, given: told }
  return {
    order: instructionsFor(build, { source, own: { ...kept, ...own }, layers }),
    secrets: [...Object.values(kept), ...secrets],
    cloudAccountId,
    build: planOf(build, plan),
  }
}

type GivenToWork = { source: OrderedSource; own: Record<string, string>; layers: OrderedLayers | undefined }

/** Returns the runner's instructions. Variables of the step and of the secret store are secrets of an image build. */
function instructionsFor(build: Build, { source, own, layers }: GivenToWork): BuildOrder {
  const { environment, commandSeconds } = build
  if (build.kind === 'image') {
    const { image } = build
    return {
      kind: 'build',
      source,
      ...image,
      arguments: environment,
      secrets: own,
      ...present({ layers }),
      commandSeconds,
      publishedAs: 'image',
    }
  }
  const { commands, outputDirectory } = build
  const publishedAs = build.kind === 'static' ? 'files' : 'archive'
  const env = { ...environment, ...own }
  return { kind: 'build', source, commands, env, commandSeconds, outputDirectory, publishedAs }
}

/** Returns the parts of a block that determine the artifact. */
function detailsOf(build: Build): object {
  const { kind, environment, kept } = build
  if (build.kind === 'image')
    return { kind, environment, kept, ...build.image, repository: repositoryOf(build.destination) }
  const { commands, outputDirectory, destination } = build
  const { bucket, cacheControl } = destination
  return { kind, commands, outputDirectory, environment, kept, bucket, ...(kind === 'static' && { cacheControl }) }
}

const repositoryOf = (destination: ImageDestination): string =>
  'arn' in destination ? destination.arn : `${destination.host}/${destination.repository}`

const planOf = (build: Build, plan: Pick<BuildPlan, 'madeOf' | 'isForced' | 'instance' | 'given'>): BuildPlan =>
  build.kind === 'image'
    ? { ...plan, kind: build.kind, destination: build.destination }
    : { ...plan, kind: build.kind, destination: build.destination }

function givenTo({ step, with: given }: AttemptToOrder): Given {
  // Removes members whose template rendered to null, because they are the same as absent ones.
  const there = present(Object.fromEntries(Object.entries(given).map(([key, one]) => [key, one ?? undefined])))
  const items = faultsOf(Rendered, there)
  if (items.length === 0) return there as Given
  throw new StepFailure('templateInvalid', `The templates of the step ${step.stepName} rendered an invalid build.`, {
    details: [{ title: 'What is wrong in `with`', render: 'list', items }],
  })
}

/** Returns the instance to build for. Its publisher must have the permission to release to it. */
async function targetOf({ db, seal }: { db: Db; seal: Seal }, { step, isNew }: AttemptToOrder, given: Given) {
  const { organizationId, pipelineRunId } = step
  const context = await loadRunContext(db, seal, { organizationId, id: pipelineRunId })
  const { projectId } = context.pipeline
  const environment = given.environment ?? context.environment?.givenId
  const named = present({ id: given.module_instance_id, givenId: given.module_instance, environment })
  const id = await findInstanceNamed(db, { organizationId, projectId }, named)
  const found = id === undefined ? undefined : await findTarget(db, organizationId, id)
  if (!found || found.instance.status === 'DESTROYED') {
    const what = given.module_instance_id ?? `${given.module_instance} in the environment ${environment}`
    throw new StepFailure('targetMissing', `The module instance ${what} does not exist.`)
  }
  // After a crash, the instance may not be recorded yet although the attempt is not new.
  if (!isNew && step.moduleInstanceId === found.instance.id) return found
  const scopes = [{ projectId: found.instance.projectId, environmentId: found.instance.environmentId }]
  const beyond = await missingPermission(db, context, { id: step.stepId }, { permission: 'deployments:write', scopes })
  if (beyond) throw new StepFailure('runBeyondRights', beyond.message, beyond)
  await saveAttempt(db, step, { moduleInstanceId: found.instance.id })
  return found
}

function readOrFailed(rendered: RenderedBuild, givenId: string): { build: Build; inputs: Json; secrets: string[] } {
  switch (rendered.verdict) {
    case 'read':
      return rendered
    case 'disabled':
      throw new NothingLeft({ kind: 'disabled' })
    case 'tool-missing':
      throw new StepFailure('buildToolMissing', `${rendered.tool} builds images, not files.`, {
        description:
          'Builds with commands make the files of a site or the archive of a function; builds of a Dockerfile, Nixpacks and Railpack make images (type: image).',
        metadata: { tool: rendered.tool },
      })
    case 'inputs-wrong':
      throw new StepFailure('buildInputInvalid', `The inputs do not match the build of ${givenId}.`, {
        details: [{ title: 'Inputs', render: 'list', items: rendered.faults }],
      })
    case 'wrong':
      throw new StepFailure('buildInvalid', `The build block of ${givenId} is invalid.`, {
        description: "Mend the module version's build block or the instance's inputs, whichever the list points to.",
        details: [{ title: 'Build', render: 'list', items: rendered.faults }],
      })
  }
}

async function accountOf(db: Db, organizationId: string, { account }: Build): Promise<string> {
  if (account && 'cloudAccountId' in account) return account.cloudAccountId
  const environment = account && (await findExecutionEnvironment(db, organizationId, account.executionEnvironmentId))
  if (environment?.cloudAccountId) return environment.cloudAccountId
  throw new StepFailure(
    'buildInvalid',
    'The build block does not specify the cloud account of the bucket or registry.',
    {
      description: 'Name it as infrastructure.cloud_account_id of the build block.',
    },
  )
}

/** Returns the source; the step overrides the module. A later attempt uses the commit that the first one found. */
async function sourceFor(
  db: Db,
  { step }: AttemptToOrder,
  { source: named }: Given,
  { source: ofModule }: Build,
): Promise<OrderedSource> {
  const { organizationId } = step
  const source = named
    ? await sourceOf(db, organizationId, named, 'sourceUnavailable')
    : await sourceAt(db, organizationId, ofModule)
  const { commit } = step.progress
  return 'url' in source && typeof commit === 'string' ? { ...source, commit } : source
}

/** Returns the source with the credentials that the organization has for its address. */
async function sourceAt(db: Db, organizationId: string, source: Build['source']): Promise<OrderedSource> {
  if (!source) {
    throw new StepFailure('sourceUnavailable', 'Neither the step nor the build block of the module names a source.')
  }
  const { repo, ref, basePath } = source
  const connected = await findCodeSourceAt(db, organizationId, repo)
  if (!connected) return { url: repo, ref, basePath }
  const { id: codeSourceId, repoUrl: url, defaultBranch } = connected
  return { url, ref: ref ?? defaultBranch ?? undefined, codeSourceId, basePath }
}
