import {
  type DeploymentColumn,
  type DeploymentRecordRow,
  type DeploymentStatus,
  type ReleaseMarks,
  versionOf,
} from '@sluice/contract'
import { type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { present } from '../../platform/present.ts'
import { rowsOf } from './store.ts'

type Wanted = {
  organizationId: string
  start: Date
  end: Date
  projectId?: string
  environmentId?: string
  moduleInstanceId?: string
  /** Of the module instances. */
  givenId?: string
  /** Substrings of names. */
  service?: string
  triggeredBy?: string
  version?: string
  status?: readonly DeploymentStatus[]
  sort: DeploymentColumn
  order: 'ASCENDING' | 'DESCENDING'
  limit: number
}

const container = 'containerDefinitions,0,image'
const image = sql.raw(`coalesce(d.data #>> '{deployedTaskDefinition,definition,${container}}',
  d.release #>> '{taskDefinition,register,${container}}', d.data #>> '{deployedRelease,imageUri}',
  d.release #>> '{definition,imageUri}', d.data #>> '{imageUri}')`)
const functionVersion = sql`d.data ->> 'version'`
const directory = sql`d.data ->> 'prefix'`
const checkout = sql`d.release #>> '{definition,source,ref}'`
/** Text of a version as \`versionOf\` returns it, with complete digests. */
const versionText = sql`coalesce(${functionVersion}, regexp_replace(${image}, '^.*[:/]', ''), ${directory}, ${checkout})`
const triggeredBy = sql`d.data ->> 'triggeredBy'`

const isPaused = sql`d.status = 'IN_PROGRESS' and d.progress @> '{"hooks":[{"state":"waiting"}]}'`

/** The last event of a queued deployment has the reason. */
const queueMessage = sql`case when d.status = 'PENDING' and d.data #>> '{events,-1,stepCode}' = 'QUEUED'
  then d.data #>> '{events,-1,message}' end`

const columns = {
  CREATED_AT: sql`d.id`, // ids sort by creation time
  SERVICE: sql`lower(i.name)`,
  ENVIRONMENT: sql`lower(e.name)`,
  PROJECT: sql`lower(p.name)`,
  VERSION: versionText,
  STATUS: sql`d.status`,
  TRIGGERED_BY: sql`lower(${triggeredBy})`,
  DURATION: sql`d.completed_at - d.started_at`,
} as const satisfies Record<DeploymentColumn, SQL>

const isPart = (text: SQL, part: string | undefined): SQL | undefined =>
  part === undefined ? undefined : sql`position(lower(${part}::text) in lower(${text})) > 0`

const isOne = (column: SQL, value: string | undefined): SQL | undefined =>
  value === undefined ? undefined : sql`${column} = ${value}`

type Row = Omit<DeploymentRecordRow, 'version'> & { [name in keyof ReleaseMarks]: string | null } & { total: number }

/**
 * Reads the deployments of a table. Reads JSON documents only of the returned rows, unless they are needed for filters
 * or sorting.
 */
export async function readDeploymentRecords(
  db: Db,
  wanted: Wanted,
): Promise<{ total: number; rows: DeploymentRecordRow[] }> {
  const filters = [
    sql`d.organization_id = ${wanted.organizationId}`,
    sql`d.created_at >= ${wanted.start.toISOString()} and d.created_at < ${wanted.end.toISOString()}`,
    isOne(sql`d.project_id`, wanted.projectId),
    isOne(sql`d.environment_id`, wanted.environmentId),
    isOne(sql`d.module_instance_id`, wanted.moduleInstanceId),
    isOne(sql`i.given_id`, wanted.givenId),
    isPart(sql`i.name`, wanted.service),
    isPart(triggeredBy, wanted.triggeredBy),
    isPart(versionText, wanted.version),
    wanted.status && sql`d.status in ${[...wanted.status]}`,
  ].filter((filter) => filter !== undefined)
  const direction = wanted.order === 'ASCENDING' ? sql`asc` : sql`desc nulls last`
  const rows = await rowsOf<Row>(
    db,
    sql`with found as (
      select d.id, count(*) over ()::int as total,
        row_number() over (order by ${columns[wanted.sort]} ${direction}, d.id desc) as place
      from deployments d join module_instances i on i.id = d.module_instance_id
        join environments e on e.id = d.environment_id join projects p on p.id = d.project_id
      where ${sql.join(filters, sql` and `)} order by place limit ${wanted.limit})
    select d.id as "deploymentId", ${moment(sql`d.created_at`)} as "createdAt", d.module_instance_id as "moduleInstanceId",
      i.name as "moduleInstanceName", d.environment_id as "environmentId", e.name as "environmentName",
      d.project_id as "projectId", p.name as "projectName", ${image} as image, ${functionVersion} as "functionVersion",
      ${directory} as directory, ${checkout} as checkout, d.status, ${isPaused} as "isPaused", ${triggeredBy} as "triggeredBy", d.description,
      ${queueMessage} as message,
      ${moment(sql`d.started_at`)} as "startedAt", ${moment(sql`d.completed_at`)} as "completedAt",
      round(extract(epoch from d.completed_at - d.started_at)::numeric, 3)::float8 as seconds, total
    from found join deployments d on d.id = found.id join module_instances i on i.id = d.module_instance_id
      join environments e on e.id = d.environment_id join projects p on p.id = d.project_id
    order by place`,
  )
  return { total: rows[0]?.total ?? 0, rows: rows.map(toWire) }
}

const moment = (column: SQL): SQL => sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

function toWire({ total: _, image, functionVersion, directory, checkout, ...row }: Row): DeploymentRecordRow {
  const marks = { image, functionVersion, directory, checkout }
  const known = Object.fromEntries(Object.entries(marks).filter(([, mark]) => mark !== null)) as ReleaseMarks
  const { triggeredBy, message, startedAt, completedAt, seconds, ...always } = row
  return {
    ...always,
    ...present({
      version: versionOf(known),
      triggeredBy: triggeredBy ?? undefined,
      message: message ?? undefined,
      startedAt: startedAt ?? undefined,
      completedAt: completedAt ?? undefined,
      seconds: seconds ?? undefined,
    }),
  }
}
