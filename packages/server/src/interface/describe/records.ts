import type { DescribedType, RecordDescription, RecordLink } from '@sluice/contract'
import { cloudAccounts } from '../../cloud/cloud-accounts/tables.ts'
import { findDeployment } from '../../delivery/deployments/store/store.ts'
import { deployments } from '../../delivery/deployments/store/tables.ts'
import { findMember } from '../../identity/memberships/store.ts'
import { serviceAccounts } from '../../identity/organizations/tables.ts'
import { iacResources } from '../../infrastructure/iac-resources/tables.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { pipelineRuns, pipelineStepExecutions, pipelines } from '../../pipelines/pipelines/tables.ts'
import { type AnyPgColumn, and, desc, eq, ne, type PgTable } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { present } from '../../platform/present.ts'
import { environments, projects } from '../../projects/projects/tables.ts'
import { stacks } from '../../stacks/stacks/tables.ts'

/** One of our own records, by its id; undefined where there is none that is shown. */
export async function describeRecord(
  db: Db,
  organizationId: string,
  id: string,
): Promise<RecordDescription | undefined> {
  const describe = describers.get(id.split('_')[0] ?? '')
  return describe?.({ db, organizationId, id })
}

type Asked = { db: Db; organizationId: string; id: string }
type Dated = { id: string; createdAt: Date; updatedAt: Date }

/** By what ids begin with. */
const describers = new Map<string, (asked: Asked) => Promise<RecordDescription | undefined>>([
  ['ca', describeCloudAccount],
  ['dep', describeDeployment],
  ['env', describeEnvironment],
  ['iac', describeResource],
  ['mem', describeMember],
  ['mi', describeInstance],
  ['pl', describePipeline],
  ['prj', describeProject],
  ['run', describeRun],
  ['sa', describeServiceAccount],
  ['step', describeStep],
  ['stk', describeStack],
])

async function describeInstance(asked: Asked): Promise<RecordDescription | undefined> {
  const row = await rowOf(asked, moduleInstances)
  if (!row) return undefined
  const latest = await latestDeployment(asked, row.id)
  return described('module-instances', row, {
    name: row.name,
    status: row.status,
    arn: latest?.resourceArn ?? row.resourceArn,
    links: [
      ...one('environment', 'environments', row.environmentId),
      ...one('project', 'projects', row.projectId),
      ...one('moduleDefinition', 'module-definitions', row.moduleDefinitionId),
      ...one('moduleVersion', 'module-versions', row.moduleVersionId),
      ...one('stack', 'stacks', row.stackId),
      ...one('latestApply', 'pipeline-runs', row.latestRunId),
      ...(row.stackId === null ? [] : many('resources', `/iac-resources?stackId=${row.stackId}`)),
      ...one('latestDeployment', 'deployments', latest?.id),
      ...many('deployments', `/deployments?moduleInstanceId=${row.id}`),
      ...many('tasks', `/module-instances/${row.id}/tasks`),
    ],
  })
}

async function describeDeployment(asked: Asked): Promise<RecordDescription | undefined> {
  const row = await findDeployment(asked.db, asked.organizationId, asked.id)
  if (!row) return undefined
  return described('deployments', row, {
    name: row.description || row.resourceName || row.id,
    status: row.status,
    owner: row.data.triggeredBy,
    arn: row.resourceArn,
    links: [
      ...one('moduleInstance', 'module-instances', row.moduleInstanceId),
      ...one('environment', 'environments', row.environmentId),
      ...one('project', 'projects', row.projectId),
      ...one('cloudAccount', 'cloud-accounts', row.release.cloudAccountId),
      ...one('pipelineRun', 'pipeline-runs', row.pipelineRunId),
      ...one('step', 'pipeline-step-executions', row.stepExecutionId),
      ...one('redeployOf', 'deployments', row.redeployOfDeploymentId),
      ...one('rollbackTo', 'deployments', row.rollbackToDeploymentId),
      ...many('resources', `/deployments/${row.id}/resources`),
    ],
  })
}

async function describeStack(asked: Asked): Promise<RecordDescription | undefined> {
  const row = await rowOf(asked, stacks)
  if (!row) return undefined
  const instance = await instanceOfStack(asked, row.id)
  return described('stacks', row, {
    name: row.name,
    links: [
      ...one('moduleInstance', 'module-instances', instance),
      ...one('project', 'projects', row.projectId),
      ...one('latestApply', 'pipeline-runs', row.lastAppliedRunId),
      ...many('workspaces', `/stack-workspaces?stackId=${row.id}`),
      ...many('resources', `/iac-resources?stackId=${row.id}`),
    ],
  })
}

async function describeResource(asked: Asked): Promise<RecordDescription | undefined> {
  const row = await rowOf(asked, iacResources)
  if (!row) return undefined
  const instance = await instanceOfStack(asked, row.stackId)
  return described('iac-resources', row, {
    name: row.address,
    status: row.isInCurrentState ? 'IN_STATE' : 'NOT_IN_STATE',
    arn: arnIn(row.vendorData),
    links: [
      ...one('stack', 'stacks', row.stackId),
      ...one('moduleInstance', 'module-instances', instance),
      ...one('pipelineRun', 'pipeline-runs', row.pipelineRunId),
      ...one('step', 'pipeline-step-executions', row.stepExecutionId),
      ...(instance === undefined ? [] : many('deployments', `/deployments?moduleInstanceId=${instance}`)),
    ],
  })
}

async function describePipeline(asked: Asked): Promise<RecordDescription | undefined> {
  const row = await rowOf(asked, pipelines)
  return (
    row &&
    described('pipelines', row, {
      name: row.name,
      links: [
        ...one('project', 'projects', row.projectId),
        ...many('versions', `/pipeline-versions?pipelineId=${row.id}`),
        ...many('runs', `/pipeline-runs?pipelineId=${row.id}`),
      ],
    })
  )
}

async function describeRun(asked: Asked): Promise<RecordDescription | undefined> {
  const row = await rowOf(asked, pipelineRuns)
  return (
    row &&
    described('pipeline-runs', row, {
      name: row.description ?? row.id,
      status: row.status,
      owner: row.triggeredBy,
      links: [
        ...one('pipeline', 'pipelines', row.pipelineId),
        ...one('moduleInstance', 'module-instances', row.moduleInstanceId),
        ...one('startedByStep', 'pipeline-step-executions', row.parentStepExecutionId),
        ...one('retryOf', 'pipeline-runs', row.retryOf),
        ...many('steps', `/pipeline-step-executions?pipelineRunId=${row.id}`),
        ...many('resources', `/iac-resources?pipelineRunId=${row.id}`),
        ...many('deployments', `/deployments?pipelineRunId=${row.id}`),
      ],
    })
  )
}

async function describeStep(asked: Asked): Promise<RecordDescription | undefined> {
  const row = await rowOf(asked, pipelineStepExecutions)
  return (
    row &&
    described('pipeline-step-executions', row, {
      name: row.stepName,
      status: row.status,
      links: [
        ...one('pipelineRun', 'pipeline-runs', row.pipelineRunId),
        ...one('moduleInstance', 'module-instances', row.moduleInstanceId),
      ],
    })
  )
}

async function describeProject(asked: Asked): Promise<RecordDescription | undefined> {
  const row = await rowOf(asked, projects)
  return (
    row &&
    described('projects', row, {
      name: row.name,
      links: ['environments', 'module-instances', 'pipelines', 'stacks', 'deployments'].flatMap((list) =>
        many(list, `/${list}?projectId=${row.id}`),
      ),
    })
  )
}

async function describeEnvironment(asked: Asked): Promise<RecordDescription | undefined> {
  const row = await rowOf(asked, environments)
  return (
    row &&
    described('environments', row, {
      name: row.name,
      links: [
        ...one('project', 'projects', row.projectId),
        ...many('module-instances', `/module-instances?environmentId=${row.id}`),
        ...many('deployments', `/deployments?environmentId=${row.id}`),
      ],
    })
  )
}

async function describeCloudAccount(asked: Asked): Promise<RecordDescription | undefined> {
  const row = await rowOf(asked, cloudAccounts)
  return (
    row &&
    described('cloud-accounts', row, {
      name: row.name,
      status: row.status,
      arn: row.cloudArn,
      links: many('connection', `/cloud-accounts/${row.id}/connection`),
    })
  )
}

async function describeMember({ db, organizationId, id }: Asked): Promise<RecordDescription | undefined> {
  const row = await findMember(db, organizationId, id)
  return (
    row &&
    described('memberships', row, {
      name: row.user.fullName === null ? row.user.email : `${row.user.fullName} (${row.user.email})`,
      status: row.role,
      links: many('teams', `/team-members?memberId=${id}`),
    })
  )
}

async function describeServiceAccount(asked: Asked): Promise<RecordDescription | undefined> {
  const row = await rowOf(asked, serviceAccounts)
  return (
    row &&
    described('service-accounts', row, {
      name: row.name,
      status: row.role,
      links: [
        ...many('teams', `/team-members?memberId=${row.id}`),
        ...many('trusts', `/service-account-trusts?serviceAccountId=${row.id}`),
      ],
    })
  )
}

type About = {
  name: string
  status?: string
  owner?: string | undefined
  arn?: string | null | undefined
  links: RecordLink[]
}

const described = (type: DescribedType, { id, createdAt, updatedAt }: Dated, about: About): RecordDescription => ({
  ...{ type, id, name: about.name, path: `/${type}/${id}` },
  ...present({ status: about.status, owner: about.owner, arn: about.arn ?? undefined }),
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
  links: about.links,
})

const one = (relation: string, collection: string, id: string | null | undefined): RecordLink[] =>
  id ? [{ relation, path: `/${collection}/${id}`, id }] : []

const many = (relation: string, path: string): RecordLink[] => [{ relation, path }]

async function rowOf<T extends PgTable & { id: AnyPgColumn; organizationId: AnyPgColumn }>(
  { db, organizationId, id }: Asked,
  table: T,
): Promise<T['$inferSelect'] | undefined> {
  const [row] = await db
    .select()
    .from(table as PgTable)
    .where(and(eq(table.organizationId, organizationId), eq(table.id, id)))
  return row as T['$inferSelect'] | undefined
}

async function latestDeployment({ db, organizationId }: Asked, moduleInstanceId: string) {
  const [row] = await db
    .select({ id: deployments.id, resourceArn: deployments.resourceArn })
    .from(deployments)
    .where(and(eq(deployments.organizationId, organizationId), eq(deployments.moduleInstanceId, moduleInstanceId)))
    .orderBy(desc(deployments.id))
    .limit(1)
  return row
}

async function instanceOfStack({ db, organizationId }: Asked, stackId: string): Promise<string | undefined> {
  const { id, status } = moduleInstances
  const isOfStack = and(eq(moduleInstances.stackId, stackId), ne(status, 'DESTROYED'))
  const [row] = await db
    .select({ id })
    .from(moduleInstances)
    .where(and(eq(moduleInstances.organizationId, organizationId), isOfStack))
    .limit(1)
  return row?.id
}

function arnIn({ after }: { after: unknown }): string | undefined {
  const arn: unknown = Reflect.get(Object(after), 'arn')
  return typeof arn === 'string' ? arn : undefined
}
