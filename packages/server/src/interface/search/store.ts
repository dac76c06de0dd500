import { type SearchResult, versionOf } from '@sluice/contract'
import { deployments } from '../../delivery/deployments/store/tables.ts'
import { memberships, users } from '../../identity/organizations/tables.ts'
import { iacResources } from '../../infrastructure/iac-resources/tables.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { pipelineRuns, pipelines } from '../../pipelines/pipelines/tables.ts'
import { and, asc, desc, eq, ne, type SQL, type SQLChunk, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { present } from '../../platform/present.ts'
import { environments, projects } from '../../projects/projects/tables.ts'
import { stacks } from '../../stacks/stacks/tables.ts'
import { readDeploymentSummaries } from '../services/store.ts'
import { searchWords } from './tables.ts'

export type SearchFilter = {
  organizationId: string
  /** Words that all must match. */
  words: readonly string[]
  limit: number
}

export type Find = (db: Db, wanted: SearchFilter) => Promise<SearchResult[]>

const title = (...parts: (string | null | undefined)[]): string => parts.filter(Boolean).join(' · ')

export const findServices: Find = async (db, { organizationId, words, limit }) => {
  const { id, givenId, name, type, resourceArn, projectId } = moduleInstances
  const rows = await db
    .select({ id, name, type, projectId, environment: environments.name, project: projects.name })
    .from(moduleInstances)
    .innerJoin(environments, eq(environments.id, moduleInstances.environmentId))
    .innerJoin(projects, eq(projects.id, projectId))
    .where(
      and(
        eq(moduleInstances.organizationId, organizationId),
        ne(moduleInstances.status, 'DESTROYED'),
        meets(words, name, givenId, environments.name, environments.givenId, projects.name, resourceArn, id),
      ),
    )
    .orderBy(closest(words, givenId, name), asc(name), sql`${environments.position} nulls last`, asc(environments.id))
    .limit(limit)
  return rows.map(({ environment, project, name, type, ...row }) => ({
    type: 'SERVICE',
    ...row,
    title: title(name, environment),
    detail: title(project, type),
  }))
}

export const findDeployments: Find = async (db, wanted) => {
  const { organizationId, limit } = wanted
  const rows = await db
    .select({
      id: deployments.id,
      description: deployments.description,
      status: deployments.status,
      createdAt: deployments.createdAt,
      projectId: deployments.projectId,
      moduleInstanceId: deployments.moduleInstanceId,
      service: moduleInstances.name,
      environment: environments.name,
    })
    .from(deployments)
    .innerJoin(moduleInstances, eq(moduleInstances.id, deployments.moduleInstanceId))
    .innerJoin(environments, eq(environments.id, deployments.environmentId))
    .where(and(eq(deployments.organizationId, organizationId), isAmong(deployments.id, 'deployments', wanted)))
    .orderBy(desc(deployments.id))
    .limit(limit)
  const shown = await readDeploymentSummaries(
    db,
    organizationId,
    rows.map(({ id }) => id),
  )
  return rows.map(({ service, environment, description, createdAt, ...row }) => {
    const marks = shown.get(row.id)
    return {
      type: 'DEPLOYMENT',
      ...row,
      title: title(service, environment, marks && versionOf(marks)),
      detail: title(description, marks?.by),
      at: createdAt.toISOString(),
    }
  })
}

export const findPipelines: Find = async (db, { organizationId, words, limit }) => {
  const { id, givenId, name, projectId } = pipelines
  const rows = await db
    .select({ id, name, projectId, project: projects.name })
    .from(pipelines)
    .innerJoin(projects, eq(projects.id, projectId))
    .where(and(eq(pipelines.organizationId, organizationId), meets(words, name, givenId, projects.name, id)))
    .orderBy(closest(words, givenId, name), asc(name), asc(id))
    .limit(limit)
  return rows.map(({ name, project, ...row }) => ({ type: 'PIPELINE', ...row, title: name, detail: project }))
}

export const findRuns: Find = async (db, wanted) => {
  const { id, number, description, status, triggeredBy, createdAt } = pipelineRuns
  const rows = await db
    .select({
      id,
      number,
      description,
      status,
      triggeredBy,
      createdAt,
      pipeline: pipelines.name,
      projectId: pipelines.projectId,
    })
    .from(pipelineRuns)
    .innerJoin(pipelines, eq(pipelines.id, pipelineRuns.pipelineId))
    .where(and(eq(pipelineRuns.organizationId, wanted.organizationId), isAmong(id, 'pipeline-runs', wanted)))
    .orderBy(desc(id))
    .limit(wanted.limit)
  return rows.map(({ pipeline, number, description, triggeredBy, createdAt, ...row }) => ({
    type: 'RUN',
    ...row,
    title: title(`${pipeline} #${number}`, description),
    detail: triggeredBy,
    at: createdAt.toISOString(),
  }))
}

/** Returns current resources, each once regardless of the number of runs that changed it. */
export const findResources: Find = async (db, wanted) => {
  const { id, address, resourceType, pipelineRunId, stackId, isInCurrentState } = iacResources
  const isOfStack = and(eq(moduleInstances.stackId, stackId), ne(moduleInstances.status, 'DESTROYED'))
  const rows = await db
    .select({
      id,
      address,
      resourceType,
      pipelineRunId,
      stackId,
      stack: stacks.name,
      projectId: stacks.projectId,
      moduleInstanceId: moduleInstances.id,
    })
    .from(iacResources)
    .innerJoin(stacks, eq(stacks.id, stackId))
    .leftJoin(moduleInstances, isOfStack)
    .where(
      and(
        eq(iacResources.organizationId, wanted.organizationId),
        eq(isInCurrentState, true),
        isAmong(id, 'iac-resources', wanted),
      ),
    )
    .orderBy(desc(id))
    .limit(wanted.limit * 10)
  const newest = new Map(rows.toReversed().map((row) => [`${row.stackId} ${row.address}`, row]))
  return [...newest.values()]
    .toReversed()
    .slice(0, wanted.limit)
    .map(({ id, address, resourceType, pipelineRunId, stack, projectId, moduleInstanceId }) => ({
      type: 'RESOURCE',
      id,
      title: address,
      detail: title(resourceType, stack),
      pipelineRunId,
      projectId,
      ...present({ moduleInstanceId: moduleInstanceId ?? undefined }),
    }))
}

export const findProjects: Find = async (db, { organizationId, words, limit }) => {
  const { id, givenId, name } = projects
  const rows = await db
    .select({ id, name, description: projects.description })
    .from(projects)
    .where(and(eq(projects.organizationId, organizationId), meets(words, name, givenId, id)))
    .orderBy(closest(words, givenId, name), asc(name), asc(id))
    .limit(limit)
  return rows.map(({ id, name, description }) => ({
    type: 'PROJECT',
    id,
    title: name,
    projectId: id,
    ...present({ detail: description ?? undefined }),
  }))
}

export const findEnvironments: Find = async (db, { organizationId, words, limit }) => {
  const { id, givenId, name, projectId } = environments
  const rows = await db
    .select({ id, name, projectId, project: projects.name })
    .from(environments)
    .innerJoin(projects, eq(projects.id, projectId))
    .where(and(eq(environments.organizationId, organizationId), meets(words, name, givenId, projects.name, id)))
    .orderBy(closest(words, givenId, name), asc(name), asc(id))
    .limit(limit)
  return rows.map(({ name, project, ...row }) => ({ type: 'ENVIRONMENT', ...row, title: name, detail: project }))
}

export const findPeople: Find = async (db, { organizationId, words, limit }) => {
  const { email, fullName } = users
  const rows = await db
    .select({ id: memberships.id, role: memberships.role, email, fullName })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(and(eq(memberships.organizationId, organizationId), meets(words, fullName, email, memberships.id)))
    .orderBy(closest(words, fullName, email), asc(email))
    .limit(limit)
  return rows.map(({ id, role, email, fullName }) => ({
    type: 'PERSON',
    id,
    title: fullName ?? email,
    detail: title(fullName === null ? undefined : email, role.toLowerCase()),
  }))
}

/**
 * Returns the condition that each word is part of a displayed column. For tables with at most thousands of rows per
 * organization.
 */
function meets(words: readonly string[], ...columns: SQLChunk[]): SQL | undefined {
  const text = sql`lower(concat_ws(' ', ${sql.join(columns, sql`, `)}))`
  return and(...words.map((word) => sql`strpos(${text}, ${word}) > 0`))
}

/** Returns the order of matches: exact names first, then prefixes, then substrings. */
function closest(words: readonly string[], ...columns: SQLChunk[]): SQL {
  const rank = (column: SQLChunk) => sql`min(case when lower(${column}) = word then 0
    when starts_with(lower(${column}), word) then 1 else 2 end)`
  const ranks = sql.join(columns.map(rank), sql`, `)
  return sql`(select least(${ranks}) from unnest(${sql.param([...words])}::text[]) as word)`
}

/** Maximum number of candidates that are compared with the other words, and of matches that are returned. */
const maxCandidates = 5_000
const mostMet = 500

/** Character that sorts after every other one. */
const last = '\u{10FFFF}'

/**
 * Returns the condition that a record has each word or a word with that prefix, or has the id. Looks up the longest
 * word, which probably is the rarest. Uses an array, so that the planner fetches only these records.
 */
function isAmong(id: SQLChunk, resource: string, { organizationId, words }: SearchFilter): SQL {
  const [rarest = '', ...others] = words.toSorted((a, b) => b.length - a.length)
  const ofResource = and(eq(searchWords.organizationId, organizationId), eq(searchWords.resource, resource))
  const beginsSo = (column: SQL, word: string) => sql`${column} ~>=~ ${word} and ${column} ~<~ ${word + last}`
  const hasOthers = others.map(
    (word) => sql`exists (select 1 from ${searchWords} other
      where other.record_id = found.record_id and ${beginsSo(sql`other.word`, word)})`,
  )
  const { recordId, word } = searchWords
  return sql`${id} = any (array(
    (select found.record_id from (
      (select ${recordId} from ${searchWords} where ${and(ofResource, eq(word, rarest))}
        order by ${recordId} desc limit ${maxCandidates})
      union
      (select ${recordId} from ${searchWords} where ${and(ofResource, beginsSo(sql`${word}`, rarest))} limit ${maxCandidates})
    ) found where ${and(sql`true`, ...hasOthers)} order by found.record_id desc limit ${mostMet})
    union all select unnest(${sql.param([...words])}::text[])))`
}
