import type { PolicyDryRun } from '@sluice/contract'
import { memberships, serviceAccounts } from '../identity/organizations/tables.ts'
import { teamsOfMembers } from '../identity/teams/members.ts'
import { namesOfTeams } from '../identity/teams/store.ts'
import { moduleInstances } from '../modules/module-instances/tables.ts'
import { and, eq, inArray } from '../platform/db/drizzle.ts'
import type { Db } from '../platform/db/open.ts'
import { environments, projects } from '../projects/projects/tables.ts'
import type { Subject } from './policies/evaluate.ts'
import type { Scope } from './scope.ts'

export type { Subject } from './policies/evaluate.ts'
export { type CutList, maxTextLength as longestText } from './policies/types.ts'

/** Past subject in the form in which policies evaluate it, and its representation in a response. */
export type PastSubject = {
  of: Omit<PolicyDryRun['blocked'][number], 'createdAt' | 'verdict' | 'reason'>
  createdAt: Date
  subject: Subject
}

/** Returns the latest subjects in a scope, newest first. */
export type LoadPastSubjects = (
  db: Db,
  organizationId: string,
  wish: { place: Scope; rollbacks: boolean; count: number },
) => Promise<PastSubject[]>

/** Starter of a subject without one, or whose starter was deleted. */
const noStarter: Subject = { kind: 'NOBODY', teams: [] }

type Starters = (id: string | null | undefined) => Subject

/** Returns the starters as variables of expressions, by the id of the membership or service account. */
export async function loadStarters(
  db: Db,
  organizationId: string,
  ids: readonly (string | null | undefined)[],
): Promise<Starters> {
  const wanted = [...new Set(ids.filter((id) => typeof id === 'string'))]
  if (wanted.length === 0) return () => noStarter
  const people = await db
    .select({ id: memberships.id, role: memberships.role })
    .from(memberships)
    .where(and(eq(memberships.organizationId, organizationId), inArray(memberships.id, wanted)))
  const { id, role, name } = serviceAccounts
  const accounts = await db
    .select({ id, role, name })
    .from(serviceAccounts)
    .where(and(eq(serviceAccounts.organizationId, organizationId), inArray(id, wanted)))
  const teams = await teamsOfMembers(db, organizationId, wanted)
  const names = await namesOfTeams(db, organizationId, [...new Set([...teams.values()].flat())])
  const teamsNamed = (member: string) =>
    (teams.get(member) ?? []).flatMap((teamId) => names.get(teamId) ?? []).toSorted()
  const starters = [
    ...people.map((one) => ({ kind: 'USER', ...one })),
    ...accounts.map((one) => ({ kind: 'SERVICE_ACCOUNT', ...one })),
  ]
  const seen = new Map(starters.map((one) => [one.id, { ...one, teams: teamsNamed(one.id) }]))
  return (id) => seen.get(id ?? '') ?? noStarter
}

/**
 * Returns the projects, environments and instances of scopes as variables of expressions, with missing parts absent.
 */
export async function loadScopes(
  db: Db,
  organizationId: string,
  places: readonly Scope[],
): Promise<(place: Scope) => Subject> {
  const idsOf = (level: keyof Scope) => [...new Set(places.flatMap((place) => place[level] ?? []))]
  const { id, givenId, name } = projects
  const ofProjects = await db
    .select({ id, givenId, name })
    .from(projects)
    .where(and(eq(projects.organizationId, organizationId), inArray(id, idsOf('projectId'))))
  const ofEnvironments = await db
    .select({
      id: environments.id,
      givenId: environments.givenId,
      name: environments.name,
      isRestricted: environments.restricted,
    })
    .from(environments)
    .where(and(eq(environments.organizationId, organizationId), inArray(environments.id, idsOf('environmentId'))))
  const ofInstances = await db
    .select({
      id: moduleInstances.id,
      givenId: moduleInstances.givenId,
      name: moduleInstances.name,
      module: moduleInstances.type,
    })
    .from(moduleInstances)
    .where(
      and(eq(moduleInstances.organizationId, organizationId), inArray(moduleInstances.id, idsOf('moduleInstanceId'))),
    )
  const seen = new Map<string, Subject>([...ofProjects, ...ofEnvironments, ...ofInstances].map((one) => [one.id, one]))
  return ({ projectId, environmentId, moduleInstanceId }) => ({
    project: seen.get(projectId ?? '') ?? {},
    environment: seen.get(environmentId ?? '') ?? {},
    instance: seen.get(moduleInstanceId ?? '') ?? {},
  })
}

const minuteMs = 60_000

/**
 * Returns the current time as a variable of expressions, rounded down to the minute, so that a repeated evaluation gets
 * the same value.
 */
export const currentMinute = (now: Date): string =>
  new Date(Math.floor(now.getTime() / minuteMs) * minuteMs).toISOString()
