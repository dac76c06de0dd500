import { allPages } from '@sluice/calls/all-pages'
import { findModuleInstance, findPipeline } from '@sluice/calls/find'
import { UsageError } from '@sluice/calls/usage-error'
import type { Client } from '@sluice/client'
import type { ModuleInstance, Pipeline } from '@sluice/contract'
import { connect, type UrlOption } from './connect.ts'
import { type FollowArguments, followOrPrint } from './delivery/follow.ts'
import { watchRun } from './delivery/watch.ts'
import { objectOf, readFields } from './fields.ts'

/** Starts a pipeline run. */
export async function run(
  pipeline: string,
  words: string[],
  wishes: UrlOption & FollowArguments & { description?: string; idempotencyKey?: string },
): Promise<void> {
  const inputs = objectOf(readFields(words))
  const client = connect(wishes)
  const { id: pipelineId, givenId } = await findPipeline(client, pipeline)
  const { description, idempotencyKey } = wishes
  const data = { pipelineId, inputs, ...(description !== undefined && { description }) }
  const { data: accepted } = await client.createPipelineRun(
    { body: { data } },
    idempotencyKey ? { idempotencyKey } : {},
  )
  await followOrPrint(client, accepted, `runs ${givenId}`, wishes, watchRun)
}

/** Starts the pipeline that builds a module instance. */
export async function build(
  instance: string,
  words: string[],
  { ref, pipeline, ...wishes }: UrlOption & FollowArguments & { ref?: string; pipeline?: string; description?: string },
): Promise<void> {
  const client = connect(wishes)
  const { data: built } = await client.getModuleInstance({
    params: { id: (await findModuleInstance(client, instance)).id },
  })
  const named = pipeline === undefined ? await onlyBuilderOf(client, built) : pipeline
  return run(named, ref === undefined ? words : [...words, `ref=${ref}`], wishes)
}

/** Returns the project's only pipeline with a step that builds the instance. */
async function onlyBuilderOf(
  client: Client,
  { id, givenId, projectId, environmentId }: ModuleInstance,
): Promise<string> {
  const { data: environment } = await client.getEnvironment({ params: { id: environmentId } })
  const all = await allPages((page) => client.listPipelines({ query: { projectId, ...page } }))
  const builds = async ({ id: pipelineId }: Pipeline) => {
    const { data: versions } = await client.listPipelineVersions({ query: { pipelineId, limit: 1 } })
    return stepsOf(versions[0]?.config).some(({ type, with: given = {} }) => {
      if (type !== 'build') return false
      const isNamed = given.module_instance === givenId && given.environment === environment.givenId
      return isNamed || given.module_instance_id === id
    })
  }
  const found: Pipeline[] = []
  for (const one of all) if (await builds(one)) found.push(one)
  const [only, ...others] = found
  if (!only) {
    throw new UsageError(`No pipeline has a step that builds ${givenId}: name one that does with --pipeline.`)
  }
  if (others.length === 0) return only.id
  throw new UsageError(`${found.map((one) => one.givenId).join(', ')} build ${givenId}: name one with --pipeline.`)
}

type Step = { type?: unknown; with?: Record<string, unknown> }

const stepsOf = (config: unknown): Step[] => {
  const steps = (config as { steps?: unknown } | undefined)?.steps
  return Array.isArray(steps) ? steps : []
}

/** Retries the unsuccessful steps of a run, except skipped ones. */
export async function retry(
  id: string,
  {
    skip,
    reason,
    idempotencyKey,
    ...wishes
  }: UrlOption & FollowArguments & { skip?: string[]; reason?: string; idempotencyKey?: string },
): Promise<void> {
  const client = connect(wishes)
  const data = { ...(skip && { skip }), ...(reason !== undefined && { reason }) }
  const { data: accepted } = await client.retryPipelineRun(
    { params: { id }, body: { data } },
    idempotencyKey ? { idempotencyKey } : {},
  )
  await followOrPrint(client, accepted, `retries ${id}`, wishes, watchRun)
}
