import { certificates } from '../../cloud/certificates/tables.ts'
import { cloudAccounts } from '../../cloud/cloud-accounts/tables.ts'
import { deployments } from '../../delivery/deployments/store/tables.ts'
import { holds } from '../../gates/tables.ts'
import { auditEvents } from '../../identity/audit-events/tables.ts'
import { previewEnvironments } from '../../infrastructure/preview-environments/tables.ts'
import { stackDrifts } from '../../infrastructure/stack-drift/tables.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { pipelineRuns, pipelineStepExecutions, pipelines } from '../../pipelines/pipelines/tables.ts'
import { alias, and, asc, desc, eq, gte, inArray, isNotNull, lt, ne, or, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { firstIdAt } from '../../platform/ids.ts'
import { environments, projects } from '../../projects/projects/tables.ts'
import { stacks } from '../../stacks/stacks/tables.ts'
import type { NotifiableCertificate, NotifiableConnection, NotifiableFilesDrift } from './events/audit-lines.ts'
import type { NotifiableDeployment } from './events/deployments.ts'
import type { NotifiableDrift, NotifiableHold, NotifiablePreview } from './events/environments.ts'
import type { NotifiableRun } from './events/runs.ts'

/** Changed records: by id or, if unknown, all that are in progress or ended since a time. */
export type Changed = { ids: readonly string[] } | { since: Date }

export async function notifiableDeployments(
  db: Db,
  organizationId: string,
  changed: Changed,
): Promise<NotifiableDeployment[]> {
  const { id, wakeAt, completedAt } = deployments
  const isChanged =
    'ids' in changed ? inArray(id, [...changed.ids]) : or(isNotNull(wakeAt), gte(completedAt, changed.since))
  const { status, deploymentType, description, triggerSource, pipelineRunId, startedAt, error, data } = deployments
  const before = db
    .select({ id: former.id, release: former.release, data: former.data })
    .from(former)
    .where(
      and(
        eq(former.organizationId, organizationId),
        eq(former.moduleInstanceId, deployments.moduleInstanceId),
        eq(former.status, 'SUCCESS'),
        lt(former.completedAt, deployments.completedAt),
      ),
    )
    .orderBy(desc(former.completedAt))
    .limit(1)
    .as('before')
  const rows = await db
    .select({
      id,
      status,
      deploymentType,
      description,
      triggerSource,
      pipelineRunId,
      startedAt,
      completedAt,
      error,
      data,
      progress: deployments.progress,
      waitingFor: deployments.waitingFor,
      organizationId: deployments.organizationId,
      project: { id: projects.id, name: projects.name },
      environment: { id: environments.id, name: environments.name },
      moduleInstance: { id: moduleInstances.id, name: moduleInstances.name },
      release: deployments.release,
      beforeId: before.id,
      beforeRelease: before.release,
      beforeData: before.data,
    })
    .from(deployments)
    .innerJoin(projects, eq(projects.id, deployments.projectId))
    .innerJoin(environments, eq(environments.id, deployments.environmentId))
    .innerJoin(moduleInstances, eq(moduleInstances.id, deployments.moduleInstanceId))
    .leftJoinLateral(before, sql`true`)
    .where(and(eq(deployments.organizationId, organizationId), isChanged))
    .orderBy(asc(id))
  return rows.map(({ beforeId, beforeRelease, beforeData, ...row }) => ({
    ...row,
    before:
      beforeId !== null && beforeRelease && beforeData
        ? { id: beforeId, release: beforeRelease, data: beforeData }
        : null,
  }))
}

const former = alias(deployments, 'former')

export async function notifiableRuns(
  db: Db,
  organizationId: string,
  changed: Changed,
  changedSteps: readonly string[] = [],
): Promise<NotifiableRun[]> {
  const { id, wakeAt, completedAt, number, status, triggerSource, triggeredBy, moduleInstanceId, error } = pipelineRuns
  const step = pipelineStepExecutions
  const runsOfSteps = db
    .select({ id: step.pipelineRunId })
    .from(step)
    .where(and(eq(step.organizationId, organizationId), inArray(step.id, [...changedSteps])))
  const isNamed = (ids: readonly string[]) =>
    or(inArray(id, [...ids]), changedSteps.length === 0 ? undefined : inArray(id, runsOfSteps))
  const isChanged = 'ids' in changed ? isNamed(changed.ids) : or(isNotNull(wakeAt), gte(completedAt, changed.since))
  const runs = await db
    .select({
      id,
      number,
      status,
      triggerSource,
      triggeredBy,
      moduleInstanceId,
      completedAt,
      error,
      organizationId: pipelineRuns.organizationId,
      project: { id: projects.id, name: projects.name },
      pipeline: { id: pipelines.id, name: pipelines.name },
      environmentId: moduleInstances.environmentId,
    })
    .from(pipelineRuns)
    .innerJoin(pipelines, eq(pipelines.id, pipelineRuns.pipelineId))
    .innerJoin(projects, eq(projects.id, pipelines.projectId))
    .leftJoin(moduleInstances, eq(moduleInstances.id, pipelineRuns.moduleInstanceId))
    .where(and(eq(pipelineRuns.organizationId, organizationId), isChanged))
    .orderBy(asc(id))
  const runIds = runs.map((run) => run.id)
  const isTold = or(isNotNull(step.approval), inArray(step.queueReason, ['FROZEN', 'VERSION_NOT_APPROVED']))
  const waiting = await db
    .select({
      id: step.id,
      stepName: step.stepName,
      approval: step.approval,
      statusDetail: step.statusDetail,
      status: step.status,
      queueReason: step.queueReason,
      queueMetadata: step.queueMetadata,
      updatedAt: step.updatedAt,
      pipelineRunId: step.pipelineRunId,
    })
    .from(step)
    .where(and(eq(step.organizationId, organizationId), inArray(step.pipelineRunId, runIds), isTold))
  return runs.map((run) => ({ ...run, steps: waiting.filter(({ pipelineRunId }) => pipelineRunId === run.id) }))
}

export async function notifiableHolds(db: Db, organizationId: string, changed: Changed): Promise<NotifiableHold[]> {
  const { id, createdAt, reason, heldBy, liftedAt, liftedBy, liftReason } = holds
  const isChanged =
    'ids' in changed ? inArray(id, [...changed.ids]) : or(gte(createdAt, changed.since), gte(liftedAt, changed.since))
  return db
    .select({
      id,
      createdAt,
      reason,
      heldBy,
      liftedAt,
      liftedBy,
      liftReason,
      organizationId: holds.organizationId,
      project: { id: projects.id, name: projects.name },
      environment: { id: environments.id, name: environments.name },
      moduleInstance: { id: moduleInstances.id, name: moduleInstances.name },
    })
    .from(holds)
    .innerJoin(projects, eq(projects.id, holds.projectId))
    .innerJoin(environments, eq(environments.id, holds.environmentId))
    .leftJoin(moduleInstances, eq(moduleInstances.id, holds.moduleInstanceId))
    .where(and(eq(holds.organizationId, organizationId), isChanged))
    .orderBy(asc(id))
}

/** Returns preview environments whose teardown failed. */
export function notifiablePreviews(db: Db, organizationId: string, changed: Changed): Promise<NotifiablePreview[]> {
  const { id, givenId, number, message, failedTeardowns, teardownFailedAt, retryAt } = previewEnvironments
  return db
    .select({
      id,
      givenId,
      number,
      message,
      failedTeardowns,
      teardownFailedAt,
      retryAt,
      organizationId: previewEnvironments.organizationId,
      project: { id: projects.id, name: projects.name },
      environment: { id: environments.id, name: environments.name },
    })
    .from(previewEnvironments)
    .innerJoin(projects, eq(projects.id, previewEnvironments.projectId))
    .leftJoin(environments, eq(environments.id, previewEnvironments.environmentId))
    .where(
      and(
        eq(previewEnvironments.organizationId, organizationId),
        isNotNull(teardownFailedAt),
        'ids' in changed ? inArray(id, [...changed.ids]) : gte(teardownFailedAt, changed.since),
      ),
    )
    .orderBy(asc(id))
}

/** Returns drifted stacks. `ids` are those of drift check runs. */
export const notifiableDrifts = (db: Db, organizationId: string, changed: Changed): Promise<NotifiableDrift[]> =>
  db
    .select({
      organizationId: stackDrifts.organizationId,
      driftedSince: stackDrifts.driftedSince,
      runId: stackDrifts.runId,
      stack: { id: stacks.id, name: stacks.name },
      project: { id: projects.id, name: projects.name },
      environment: { id: environments.id, name: environments.name },
    })
    .from(stackDrifts)
    .innerJoin(stacks, eq(stacks.id, stackDrifts.stackId))
    .innerJoin(projects, eq(projects.id, stacks.projectId))
    .leftJoin(moduleInstances, and(eq(moduleInstances.stackId, stacks.id), ne(moduleInstances.status, 'DESTROYED')))
    .leftJoin(environments, eq(environments.id, moduleInstances.environmentId))
    .where(
      and(
        eq(stackDrifts.organizationId, organizationId),
        eq(stackDrifts.status, 'DRIFTED'),
        'ids' in changed ? inArray(stackDrifts.runId, [...changed.ids]) : gte(stackDrifts.driftedSince, changed.since),
      ),
    )
    .orderBy(asc(stacks.id))

const noted = {
  organizationId: auditEvents.organizationId,
  createdAt: auditEvents.createdAt,
  details: auditEvents.details,
  before: auditEvents.before,
}

/** Selects audit events with these actions, which are reliably written with each change. */
const isNoted = (organizationId: string, actions: readonly string[], since: Date) =>
  and(
    eq(auditEvents.organizationId, organizationId),
    inArray(auditEvents.action, [...actions]),
    gte(auditEvents.id, firstIdAt('aud', since)),
  )

/** Returns audit events about connected, disconnected and reconnected cloud accounts. */
export const notifiableConnections = (db: Db, organizationId: string, since: Date): Promise<NotifiableConnection[]> =>
  db
    .select({
      ...noted,
      cloudAccount: { id: cloudAccounts.id, name: cloudAccounts.name, status: cloudAccounts.status },
    })
    .from(auditEvents)
    .innerJoin(cloudAccounts, eq(cloudAccounts.id, auditEvents.resourceId))
    .where(isNoted(organizationId, ['cloud-accounts.connect', 'cloud-accounts.check'], since))
    .orderBy(asc(auditEvents.id))

/** Returns audit events about projects that differ from their watched repository. */
export const notifiableFilesDrifts = (db: Db, organizationId: string, since: Date): Promise<NotifiableFilesDrift[]> =>
  db
    .select({
      ...noted,
      watchedRepositoryId: auditEvents.resourceId,
      project: { id: projects.id, name: projects.name },
    })
    .from(auditEvents)
    .innerJoin(projects, eq(projects.id, auditEvents.projectId))
    .where(isNoted(organizationId, ['watched-repositories.find-drift'], since))
    .orderBy(asc(auditEvents.id))

/** Returns audit events about certificates. */
export const notifiableCertificates = (db: Db, organizationId: string, since: Date): Promise<NotifiableCertificate[]> =>
  db
    .select({
      ...noted,
      certificate: {
        id: certificates.id,
        names: certificates.names,
        expiresAt: certificates.expiresAt,
        error: certificates.error,
      },
      cloudAccount: { id: cloudAccounts.id, name: cloudAccounts.name },
    })
    .from(auditEvents)
    .innerJoin(certificates, eq(certificates.id, auditEvents.resourceId))
    .innerJoin(cloudAccounts, eq(cloudAccounts.id, certificates.cloudAccountId))
    .where(isNoted(organizationId, ['certificates.follow'], since))
    .orderBy(asc(auditEvents.id))
