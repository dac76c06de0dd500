import { type DeploymentStatus, type DeploymentStepCode, type ReleaseMarks, versionOf } from '@sluice/contract'
import { deployments } from '../../delivery/deployments/store/tables.ts'
import { holds } from '../../gates/tables.ts'
import { iacResources } from '../../infrastructure/iac-resources/tables.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { and, eq, inArray, type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import type { ServiceInstance } from './machine.ts'

/** All instances of a project, or those with these IDs. */
type Place = { organizationId: string } & ({ projectId: string } | { ids: readonly string[] })

/**
 * Returns the instances of a project, or those with the given IDs, with the ids of their running, active and failed
 * deployments. Reads all of them, because filters are applied later, but no JSON documents: some hundred bytes each.
 */
export async function readInstances(db: Db, place: Place, withPeople: boolean): Promise<ServiceInstance[]> {
  const { organizationId } = place
  const isOfPlace = (project: SQL, instance: SQL) =>
    'ids' in place ? inArray(instance, [...place.ids]) : eq(project, place.projectId)
  const who = withPeople ? sql`one.data ->> 'triggeredBy'` : sql`null::text`
  const itsDeployments = sql`${deployments} one
    where one.module_instance_id = instance.id and one.organization_id = ${organizationId}`
  const { rows } = (await db.execute(sql`
    with drifted as (
      select stack_id, count(distinct address)::integer as resources from ${iacResources}
      where organization_id = ${organizationId} and drift_status = 'DRIFTED' and is_in_current_state
      group by stack_id
    ), under_way as (
      select distinct on (one.module_instance_id) one.module_instance_id, one.id, ${who} as who,
        one.status = 'IN_PROGRESS' and one.progress @> '{"hooks":[{"state":"waiting"}]}' as is_paused,
        (count(*) over (partition by one.module_instance_id) - 1)::integer as waiting
      from ${deployments} one
      where one.organization_id = ${organizationId} and one.wake_at is not null
        and ${isOfPlace(sql`one.project_id`, sql`one.module_instance_id`)}
      order by one.module_instance_id, one.status = 'PENDING', one.id
    ), held as (
      select one.id, one.environment_id, one.module_instance_id, jsonb_build_object('holdId', one.id,
        'reason', one.reason, 'by', one.held_by,
        'since', to_char(one.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) as hold
      from ${holds} one where one.organization_id = ${organizationId} and one.released_at is null
    )
    select instance.id, instance.given_id as "givenId", instance.environment_id as "environmentId", instance.name,
      instance.type, instance.status, running.id as "runningId", under_way.id as "underWayId",
      coalesce(under_way.is_paused, false) as "isPaused", coalesce(under_way.waiting, 0) as waiting,
      case when ended.status <> 'SUCCESS' then ended.id end as "failedId",
      held.hold, coalesce(drifted.resources, 0) as "driftedResources",
      array_remove(array[running.who, under_way.who], null) as "releasedBy"
    from ${moduleInstances} instance
    left join lateral (
      select one.id, ${who} as who from ${itsDeployments} and one.status = 'SUCCESS'
      order by one.completed_at desc limit 1
    ) running on true
    left join under_way on under_way.module_instance_id = instance.id
    left join lateral (
      select one.id, one.status from ${itsDeployments} and one.status in ('SUCCESS', 'ERROR', 'ROLLED_BACK')
      order by one.id desc limit 1
    ) ended on true
    left join lateral (
      select held.hold from held
      where coalesce(held.module_instance_id = instance.id, held.environment_id = instance.environment_id)
      order by held.id limit 1
    ) held on true
    left join drifted on drifted.stack_id = instance.stack_id
    where instance.organization_id = ${organizationId} and instance.status <> 'DESTROYED'
      and ${isOfPlace(sql`instance.project_id`, sql`instance.id`)}
  `)) as unknown as { rows: ServiceInstance[] }
  return rows
}

/** Displayed properties of a deployment, without its JSON documents. */
export type DeploymentSummary = ReleaseMarks & {
  id: string
  status: DeploymentStatus
  startedAt: Date | null
  completedAt: Date | null
  createdAt: Date
  by: string | null
  isRollback: boolean
  message: string | null
  stepCode: DeploymentStepCode | null
  newTrafficPercent: number | null
  previousVersion: string | undefined
  pausedUntil: string | null
  hasRunningChecks: boolean
  queueMessage: string | null
  runningTasks: number | null
  desiredTasks: number | null
}

/** Returns the deployments with these ids, by id. */
export async function readDeploymentSummaries(
  db: Db,
  organizationId: string,
  ids: readonly string[],
): Promise<Map<string, DeploymentSummary>> {
  if (ids.length === 0) return new Map()
  const { data, release, progress } = deployments
  const text = (path: string) => sql<string | null>`${data} #>> ${sql.raw(`'{${path}}'`)}`
  const planned = (path: string) => sql<string | null>`${release} #>> ${sql.raw(`'{${path}}'`)}`
  const target = 'serviceDeploymentState,targetServiceRevision'
  const container = 'containerDefinitions,0,image'
  const weight = sql`(${text('aliasState,additionalWeight')})::float8`
  const rows = await db
    .select({
      id: deployments.id,
      status: deployments.status,
      startedAt: deployments.startedAt,
      completedAt: deployments.completedAt,
      createdAt: deployments.createdAt,
      by: text('triggeredBy'),
      isRollback: sql<boolean>`${deployments.rollbackToDeploymentId} is not null`,
      message: sql<string | null>`${deployments.error} ->> 'message'`,
      stepCode: sql<DeploymentStepCode | null>`${data} #>> '{events,-1,stepCode}'`,
      newTrafficPercent: sql<number | null>`coalesce(
        (${text(`${target},requestedProductionTrafficWeight`)})::float8,
        case ${text('version')} when ${text('aliasState,additionalVersion')} then ${weight} * 100
          when ${text('aliasState,version')} then 100 - coalesce(${weight}, 0) * 100 end)`,
      pausedUntil: sql<
        string | null
      >`(select hook ->> 'expiresAt' from jsonb_array_elements(${progress} -> 'hooks') hook
        where hook ->> 'state' = 'waiting' limit 1)`,
      hasRunningChecks: sql<boolean>`coalesce(${data} @> '{"analysis":[{"outcome":"RUNNING"}]}', false)`,
      queueMessage: sql<string | null>`case ${text('events,-1,stepCode')} when 'QUEUED'
        then ${text('events,-1,message')} end`,
      runningTasks: sql<number | null>`(${text(`${target},runningTaskCount`)})::integer`,
      desiredTasks: sql<number | null>`(${text(`${target},requestedTaskCount`)})::integer`,
      image: sql<string | null>`coalesce(${text(`deployedTaskDefinition,definition,${container}`)},
        ${planned(`taskDefinition,register,${container}`)}, ${text('deployedRelease,imageUri')},
        ${planned('definition,imageUri')}, ${text('imageUri')})`,
      previousImage: sql<string | null>`coalesce(${text(`previousTaskDefinition,definition,${container}`)},
        ${text('previousRelease,imageUri')})`,
      previousFunctionVersion: text('previousVersion'),
      previousDirectory: text('previousPrefix'),
      functionVersion: text('version'),
      directory: text('prefix'),
      checkout: planned('definition,source,ref'),
    })
    .from(deployments)
    .where(and(eq(deployments.organizationId, organizationId), inArray(deployments.id, [...ids])))
  return new Map(
    rows.map((read) => {
      const { image, functionVersion, directory, checkout, ...rest } = read
      const { previousImage, previousFunctionVersion, previousDirectory, ...row } = rest
      const previous = {
        image: previousImage ?? undefined,
        functionVersion: previousFunctionVersion ?? undefined,
        directory: previousDirectory ?? undefined,
      }
      const marks = {
        image: image ?? undefined,
        functionVersion: functionVersion ?? undefined,
        directory: directory ?? undefined,
        checkout: checkout ?? undefined,
      }
      return [row.id, { ...row, ...marks, previousVersion: versionOf(previous) }]
    }),
  )
}
