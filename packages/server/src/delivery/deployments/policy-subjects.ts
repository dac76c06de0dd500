import { memberships, serviceAccounts } from '../../identity/organizations/tables.ts'
import { teamsOfMembers } from '../../identity/teams/members.ts'
import { namesOfTeams } from '../../identity/teams/store.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { and, eq, inArray } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { present } from '../../platform/present.ts'
import { environments, projects } from '../../projects/projects/tables.ts'
import type { Subject } from '../policies/evaluate.ts'
import { imagesOf } from './images.ts'
import { dataOf } from './standing.ts'
import type { NewDeployment } from './store.ts'

/** What is told of a deployment that was asked for then; it need not be stored yet. */
export type Told = { row: NewDeployment; askedAt: Date }

/** What the expressions of policies see of deployments: `variables.ts` of policies has their types. */
export async function subjectsOf(db: Db, organizationId: string, told: readonly Told[]): Promise<Subject[]> {
  const places = await placesOf(
    db,
    organizationId,
    told.map(({ row }) => row.moduleInstanceId),
  )
  const starters = await startersOf(
    db,
    organizationId,
    told.flatMap(({ row }) => row.triggeredById ?? []),
  )
  return told.map(({ row, askedAt }) => ({
    deployment: deploymentOf(row),
    ...places.get(row.moduleInstanceId),
    starter: starters.get(row.triggeredById ?? '') ?? { kind: 'NOBODY', teams: [] },
    now: askedAt.toISOString(),
  }))
}

function deploymentOf(row: NewDeployment): Subject {
  const { release, inputs, triggerSource, rollbackToDeploymentId, redeployOfDeploymentId } = row
  const data = dataOf(row.data)
  return present({
    type: release.type,
    strategy: 'strategy' in release ? release.strategy.type : undefined,
    source: triggerSource,
    isRollback: triggerSource === 'ROLLBACK' || !!rollbackToDeploymentId,
    isRedeployment: !!redeployOfDeploymentId,
    isPromotion: !!row.promotedFromDeploymentId,
    images: imagesOf(release, data),
    inputs: Object.keys(inputs).toSorted(),
  })
}

async function placesOf(
  db: Db,
  organizationId: string,
  instanceIds: readonly string[],
): Promise<ReadonlyMap<string, Subject>> {
  const rows = await db
    .select({
      instance: {
        id: moduleInstances.id,
        givenId: moduleInstances.givenId,
        name: moduleInstances.name,
        module: moduleInstances.type,
      },
      project: { id: projects.id, givenId: projects.givenId, name: projects.name },
      environment: {
        id: environments.id,
        givenId: environments.givenId,
        name: environments.name,
        isRestricted: environments.restricted,
      },
    })
    .from(moduleInstances)
    .innerJoin(projects, eq(projects.id, moduleInstances.projectId))
    .innerJoin(environments, eq(environments.id, moduleInstances.environmentId))
    .where(and(eq(moduleInstances.organizationId, organizationId), inArray(moduleInstances.id, [...instanceIds])))
  return new Map(rows.map((row) => [row.instance.id, row]))
}

/** Who started something, by the id of the membership or service account; those that are gone are nobody. */
async function startersOf(
  db: Db,
  organizationId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Subject>> {
  if (ids.length === 0) return new Map()
  const wanted = [...new Set(ids)]
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
    ...people.map((one) => ({ kind: 'PERSON', ...one })),
    ...accounts.map((one) => ({ kind: 'SERVICE_ACCOUNT', ...one })),
  ]
  return new Map(starters.map((one) => [one.id, { ...one, teams: teamsNamed(one.id) }]))
}
