import { and, eq, sql } from 'drizzle-orm'
import { nearestDefaults } from '../default-values/nearest.ts'
import { moduleVersions } from '../module-definitions/tables.ts'
import { openDefaults, outputRoots } from '../module-instances/blocks.ts'
import { InstanceGraph, type Placed } from '../module-instances/graph.ts'
import { faultLine } from '../module-instances/inputs/resolve.ts'
import { loadGraph } from '../module-instances/load.ts'
import { type ModuleInstanceRow, moduleInstances } from '../module-instances/tables.ts'
import type { Db } from '../platform/db/open.ts'
import { prepared } from '../platform/db/prepared.ts'
import { environments, projects } from '../projects/tables.ts'
import { stacks } from '../stacks/tables.ts'
import { type Resolution, resolveDeployment } from './resolve.ts'

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

type Found = { instance: ModuleInstanceRow; placed: Placed }

/** What is deployed to, in one query. */
export async function findTarget(db: Db, organizationId: string, id: string): Promise<Found | undefined> {
  const [found] = await statement(db).execute({ organizationId, id })
  if (!found) return undefined
  const { instance, version, projectGivenId, environmentGivenId, stack } = found
  const { givenId, type, status, projectId, environmentId, input } = instance
  const place = { projectId, projectGivenId, environmentId, environmentGivenId }
  const module = { id, givenId, type, status, input, version, stack: stack ?? undefined, references: new Map() }
  return { instance, placed: { ...module, ...place } }
}

/** Resolves what the instance's version releases to it with the given inputs. More is only asked for where it is named. */
export async function resolveTarget(
  db: Db,
  { instance, placed }: Found,
  { organizationId, pipelineRunId }: { organizationId: string; pipelineRunId?: string },
  given: Json,
): Promise<{ instance: ModuleInstanceRow; resolution: Resolution }> {
  const { deploy = null } = placed.version.config
  if (deploy === null) return { instance, resolution: { verdict: 'no-deploy' } }
  const wrong = (...faults: string[]) => ({ instance, resolution: { verdict: 'release-wrong', faults } as const })
  const text = JSON.stringify(deploy)
  if (placed.stack && placed.stack.outputs === null && /\bstack\s*\.\s*output\b/.test(text)) {
    return wrong(
      `deploy: reads what the infrastructure of ${placed.givenId} put out, which was never applied; apply it first`,
    )
  }
  const { values, faults } = (await graphOf(db, organizationId, placed)).resolve(placed.id)
  if (faults.length > 0) return wrong(...faults.map(faultLine))

  const sealed = new Set<string>()
  const nearest = /\bdefaults\b/.test(text) ? await nearestDefaults(db, organizationId, placed) : []
  const target = {
    ...outputRoots(placed, values),
    defaults: openDefaults(nearest, (key) => sealed.add(key)),
    ...(pipelineRunId !== undefined && { pipeline: { run: { id: pipelineRunId } } }),
  }
  const resolution = resolveDeployment(deploy, target, given)
  if (sealed.size === 0) return { instance, resolution }
  return wrong(...[...sealed].map((key) => `deploy: defaults.${key} is sensitive, and what is released is shown`))
}

/** Most modules refer to nothing and ask no provider: then what was found is all there is to know. */
async function graphOf(db: Db, organizationId: string, placed: Placed): Promise<InstanceGraph> {
  const graph = new InstanceGraph()
  graph.add([placed])
  graph.resolve(placed.id)
  const { names, addresses } = graph.wanted
  return names.size + addresses.size === 0 ? graph : loadGraph(db, organizationId, [placed.id])
}
