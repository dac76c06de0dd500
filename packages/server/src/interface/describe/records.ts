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
import { type Declarations, isRecord } from '../../platform/records.ts'
import { environments, projects } from '../../projects/projects/tables.ts'
import { stacks } from '../../stacks/stacks/tables.ts'

/** Describes a record by its id; undefined if the caller cannot see it. */
export async function describeRecord(declarations: Declarations, asked: Asked): Promise<RecordDescription | undefined> {
  const [prefix] = asked.id.split('_', 1)
  const type = declarations.find((one) => isRecord(one) && one.prefix === prefix)?.collection
  return isDescribed(type) ? describers[type](type, asked) : undefined
}

const isDescribed = (type: string | undefined): type is DescribedType => type !== undefined && type in describers

type Asked = { db: Db; organizationId: string; id: string }
type Dated = { id: string; createdAt: Date; updatedAt: Date }
type Describe = (type: DescribedType, asked: Asked) => Promise<RecordDescription | undefined>
type Find<Row> = (db: Db, organizationId: string, id: string) => Promise<Row | undefined>

type About = {
  name: string
  status?: string
  owner?: string | undefined
  arn?: string | null | undefined
  links: RecordLink[]
}

const describing =
  <Row extends Dated>(find: Find<Row>, aboutOf: (row: Row, asked: Asked) => About | Promise<About>): Describe =>
  async (type, asked) => {
    const row = await find(asked.db, asked.organizationId, asked.id)
    if (!row) return undefined
    const { name, status, owner, arn, links } = await aboutOf(row, asked)
    return {
      type,
      id: row.id,
      name,
      path: `/${type}/${row.id}`,
      ...present({ status, owner, arn: arn ?? undefined }),
      createdAt: row.createdAt.toISOString(),
      updatedAt: row.updatedAt.toISOString(),
      links,
    }
  }

const byId =
  <T extends PgTable & { id: AnyPgColumn; organizationId: AnyPgColumn }>(table: T): Find<T['$inferSelect']> =>
  async (db, organizationId, id) => {
    const [row] = await db
      .select()
      .from(table as PgTable)
      .where(and(eq(table.organizationId, organizationId), eq(table.id, id)))
    return row as T['$inferSelect'] | undefined
  }

const one = (relation: string, collection: string, id: string | null | undefined): RecordLink[] =>
  id ? [{ relation, path: `/${collection}/${id}`, id }] : []

const many = (relation: string, path: string): RecordLink[] => [{ relation, path }]

const describers: Record<DescribedType, Describe> = {
  'module-instances': describing(byId(moduleInstances), async (row, asked) => {
    const latest = await latestDeployment(asked, row.id)
    return {
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
    }
  }),
  deployments: describing(findDeployment, (row) => ({
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
  })),
  stacks: describing(byId(stacks), async (row, asked) => {
    const instance = await instanceOfStack(asked, row.id)
    return {
      name: row.name,
      links: [
        ...one('moduleInstance', 'module-instances', instance),
        ...one('project', 'projects', row.projectId),
        ...one('latestApply', 'pipeline-runs', row.lastAppliedRunId),
        ...many('workspaces', `/stack-workspaces?stackId=${row.id}`),
        ...many('resources', `/iac-resources?stackId=${row.id}`),
      ],
    }
  }),
  'iac-resources': describing(byId(iacResources), async (row, asked) => {
    const instance = await instanceOfStack(asked, row.stackId)
    return {
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
    }
  }),
  pipelines: describing(byId(pipelines), (row) => ({
    name: row.name,
    links: [
      ...one('project', 'projects', row.projectId),
      ...many('versions', `/pipeline-versions?pipelineId=${row.id}`),
      ...many('runs', `/pipeline-runs?pipelineId=${row.id}`),
    ],
  })),
  'pipeline-runs': describing(byId(pipelineRuns), (row) => ({
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
  })),
  'pipeline-step-executions': describing(byId(pipelineStepExecutions), (row) => ({
    name: row.stepName,
    status: row.status,
    links: [
      ...one('pipelineRun', 'pipeline-runs', row.pipelineRunId),
      ...one('moduleInstance', 'module-instances', row.moduleInstanceId),
    ],
  })),
  projects: describing(byId(projects), (row) => ({
    name: row.name,
    links: ['environments', 'module-instances', 'pipelines', 'stacks', 'deployments'].flatMap((list) =>
      many(list, `/${list}?projectId=${row.id}`),
    ),
  })),
  environments: describing(byId(environments), (row) => ({
    name: row.name,
    links: [
      ...one('project', 'projects', row.projectId),
      ...many('module-instances', `/module-instances?environmentId=${row.id}`),
      ...many('deployments', `/deployments?environmentId=${row.id}`),
    ],
  })),
  'cloud-accounts': describing(byId(cloudAccounts), (row) => ({
    name: row.name,
    status: row.status,
    arn: row.cloudArn,
    links: many('connection', `/cloud-accounts/${row.id}/connection`),
  })),
  memberships: describing(findMember, (row) => ({
    name: row.user.fullName === null ? row.user.email : `${row.user.fullName} (${row.user.email})`,
    status: row.role,
    links: many('teams', `/team-members?memberId=${row.id}`),
  })),
  'service-accounts': describing(byId(serviceAccounts), (row) => ({
    name: row.name,
    status: row.role,
    links: [
      ...many('teams', `/team-members?memberId=${row.id}`),
      ...many('trusts', `/service-account-trusts?serviceAccountId=${row.id}`),
    ],
  })),
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
