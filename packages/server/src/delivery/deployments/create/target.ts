import { moduleVersions } from '../../../modules/module-definitions/tables.ts'
import { openDefaults, outputRoots } from '../../../modules/module-instances/blocks.ts'
import { InstanceGraph, type InstanceNode } from '../../../modules/module-instances/graph.ts'
import { faultLine, type Resolution as InputResolution } from '../../../modules/module-instances/inputs/resolve.ts'
import { loadGraph } from '../../../modules/module-instances/load.ts'
import { type ModuleInstanceRow, moduleInstances } from '../../../modules/module-instances/tables.ts'
import { and, eq, sql } from '../../../platform/db/drizzle.ts'
import type { Db } from '../../../platform/db/open.ts'
import { prepared } from '../../../platform/db/prepared.ts'
import { nearestDefaults } from '../../../projects/default-values/nearest.ts'
import { environments, projects } from '../../../projects/projects/tables.ts'
import { stacks } from '../../../stacks/stacks/tables.ts'
import { type Resolution, resolveDeployment, resolveService, type TemplateRoots } from './resolve.ts'

type Json = Record<string, unknown>

const statement = prepared((db) =>
  db
    .select({
      instance: moduleInstances,
      version: { id: moduleVersions.id, version: moduleVersions.version, config: moduleVersions.config },
      projectGivenId: projects.givenId,
      environmentGivenId: environments.givenId,
      stack: { id: stacks.id, outputs: stacks.outputs },
    })
    .from(moduleInstances)
    .innerJoin(moduleVersions, eq(moduleVersions.id, moduleInstances.moduleVersionId))
    .innerJoin(projects, eq(projects.id, moduleInstances.projectId))
    .innerJoin(environments, eq(environments.id, moduleInstances.environmentId))
    .leftJoin(stacks, eq(stacks.id, moduleInstances.stackId))
    .where(
      and(
        eq(moduleInstances.organizationId, sql.placeholder('organizationId')),
        eq(moduleInstances.id, sql.placeholder('id')),
      ),
    )
    .prepare('deployment_target'),
)

export type TargetInstance = { instance: ModuleInstanceRow; placed: InstanceNode }

/** Loads a module instance with everything that a deployment needs to know about it, in one query. */
export async function findTarget(db: Db, organizationId: string, id: string): Promise<TargetInstance | undefined> {
  const [found] = await statement(db).execute({ organizationId, id })
  if (!found) return undefined
  const { instance, version, projectGivenId, environmentGivenId, stack } = found
  const { givenId, type, status, projectId, environmentId, input } = instance
  const place = { projectId, projectGivenId, environmentId, environmentGivenId }
  const module = { id, givenId, type, status, input, version, stack: stack ?? undefined, references: new Map() }
  return { instance, placed: { ...module, ...place } }
}

/**
 * Resolves what the instance's module version releases with the given inputs. Loads other data only if a template
 * refers to it.
 */
export async function resolveTarget(
  db: Db,
  { instance, placed }: TargetInstance,
  { organizationId, pipelineRunId }: { organizationId: string; pipelineRunId?: string },
  given: Json,
): Promise<{ instance: ModuleInstanceRow; resolution: Resolution }> {
  const { deploy = null } = placed.version.config
  if (deploy === null) return { instance, resolution: { verdict: 'no-deploy' } }
  const wrong = (...faults: string[]) => ({ instance, resolution: { verdict: 'release-wrong', faults } as const })
  const sealed = new Set<string>()
  const block = { name: 'deploy', templates: deploy } as const
  const read = await readTarget(db, organizationId, placed, block, (key) => sealed.add(key))
  if ('faults' in read) return wrong(...read.faults)
  const { faults } = read.inputs
  if (faults.length > 0) return wrong(...faults.map(faultLine))

  const run = pipelineRunId === undefined ? {} : { pipeline: { run: { id: pipelineRunId } } }
  const resolution = resolveDeployment(deploy, { ...read.target, ...run }, given)
  if (sealed.size === 0) return { instance, resolution }
  return wrong(...[...sealed].map((key) => `deploy: defaults.${key} is sensitive, and what is released is shown`))
}

/** Returns the values that templates of a block, or of a part of it, can refer to, or why they are unknown. */
export async function readTarget(
  db: Db,
  organizationId: string,
  placed: InstanceNode,
  { name, templates }: { name: 'build' | 'deploy'; templates: unknown },
  onSealed: (key: string) => void,
): Promise<{ target: TemplateRoots; inputs: InputResolution } | { faults: string[] }> {
  const text = JSON.stringify(templates)
  if (placed.stack && placed.stack.outputs === null && /\bstack\s*\.\s*output\b/.test(text)) {
    const fault = `${name}: refers to outputs of the infrastructure of ${placed.givenId}, which was never applied. Apply it first`
    return { faults: [fault] }
  }
  const inputs = (await graphOf(db, organizationId, placed)).resolve(placed.id)
  const nearest = /\bdefaults\b/.test(text) ? await nearestDefaults(db, organizationId, placed) : []
  const target = { ...outputRoots(placed, inputs.values), defaults: openDefaults(nearest, onSealed) }
  return { target, inputs }
}

/**
 * Returns the container service that the instance's module version releases to; undefined if it depends on a
 * deployment's inputs.
 */
export async function findService(
  db: Db,
  organizationId: string,
  moduleInstanceId: string,
): Promise<ReturnType<typeof resolveService>> {
  const found = await findTarget(db, organizationId, moduleInstanceId)
  const deploy = found?.placed.version.config.deploy as { infrastructure?: unknown } | null | undefined
  if (!found || !deploy?.infrastructure) return undefined
  const block = { name: 'deploy', templates: deploy.infrastructure } as const
  const read = await readTarget(db, organizationId, found.placed, block, () => {})
  return 'faults' in read ? undefined : resolveService(deploy, read.target)
}

/**
 * Loads the instances that templates refer to. Most modules refer to none and use no provider, which needs no query.
 */
async function graphOf(db: Db, organizationId: string, placed: InstanceNode): Promise<InstanceGraph> {
  const graph = new InstanceGraph()
  graph.add([placed])
  graph.resolve(placed.id)
  const { names, addresses } = graph.wanted
  return names.size + addresses.size === 0 ? graph : loadGraph(db, organizationId, [placed.id])
}
