import { unfinishedRunStatuses, unfinishedStepStatuses } from '@sluice/contract'
import type { CloudAccountRow } from '../../cloud/cloud-accounts/tables.ts'
import { executionEnvironments } from '../../cloud/execution-environments/tables.ts'
import { unfinishedStatuses } from '../../delivery/deployments/execution/machine.ts'
import { deployments } from '../../delivery/deployments/store/tables.ts'
import { approvalRules, freezes, policies } from '../../gates/tables.ts'
import { iacResources } from '../../infrastructure/iac-resources/tables.ts'
import { previewTemplates } from '../../infrastructure/preview-environments/tables.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { executionAssignments } from '../../pipelines/execution-assignments/tables.ts'
import { pipelineRuns, pipelineStepExecutions, pipelines } from '../../pipelines/pipelines/tables.ts'
import { and, eq, inArray, like, ne, or, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { linesOf } from '../../platform/db/users.ts'
import { environments } from '../../projects/projects/tables.ts'
import { stacks, stackWorkspaces } from '../../stacks/stacks/tables.ts'

/** What is in a project. */
export function usersOfProject(tx: Db, organizationId: string, projectId: string): Promise<string[]> {
  const tables = [
    { what: 'environment', table: environments },
    { what: 'pipeline', table: pipelines },
    { what: 'stack', table: stacks },
    { what: 'module instance', table: moduleInstances },
    { what: 'deployment', table: deployments },
  ]
  return linesOf(
    tx,
    tables.map(({ what, table }) => ({
      what,
      table,
      where: and(eq(table.organizationId, organizationId), eq(table.projectId, projectId)),
    })),
  )
}

/** What lives in the environment, and what is being deployed to it although it lives elsewhere by now. */
export function usersOfEnvironment(tx: Db, organizationId: string, environmentId: string): Promise<string[]> {
  return linesOf(tx, [
    {
      what: 'module instance',
      table: moduleInstances,
      where: and(
        eq(moduleInstances.organizationId, organizationId),
        eq(moduleInstances.environmentId, environmentId),
        ne(moduleInstances.status, 'DESTROYED'),
      ),
    },
    {
      what: 'deployment',
      table: deployments,
      where: and(
        eq(deployments.organizationId, organizationId),
        eq(deployments.environmentId, environmentId),
        inArray(deployments.status, unfinishedStatuses),
      ),
    },
    {
      what: 'preview template',
      table: previewTemplates,
      where: and(
        eq(previewTemplates.organizationId, organizationId),
        eq(previewTemplates.environmentId, environmentId),
      ),
    },
  ])
}

/**
 * What would break without the account: execution environments in it, deployments under way in it, and module instances
 * whose input names it, by its id or, inside the name of a resource, by its number.
 */
export function usersOfCloudAccount(
  tx: Db,
  { id, organizationId, cloudId }: Pick<CloudAccountRow, 'id' | 'organizationId' | 'cloudId'>,
): Promise<string[]> {
  const input = sql`${moduleInstances.input}::text`
  return linesOf(tx, [
    {
      what: 'execution environment',
      table: executionEnvironments,
      where: and(
        eq(executionEnvironments.organizationId, organizationId),
        eq(executionEnvironments.cloudAccountId, id),
      ),
    },
    {
      what: 'module instance',
      table: moduleInstances,
      where: and(
        eq(moduleInstances.organizationId, organizationId),
        ne(moduleInstances.status, 'DESTROYED'),
        or(like(input, `%"${id}"%`), cloudId === null ? undefined : like(input, `%:${cloudId}:%`)),
      ),
    },
    {
      what: 'deployment',
      table: deployments,
      where: and(
        eq(deployments.organizationId, organizationId),
        inArray(deployments.status, ['PENDING', 'IN_PROGRESS', 'ROLLING_BACK']),
        eq(sql`${deployments.release} ->> 'cloudAccountId'`, id),
      ),
    },
  ])
}

/** What a stack holds, and what is made of it. */
export function usersOfStack(tx: Db, organizationId: string, stackId: string): Promise<string[]> {
  const instances = and(
    eq(moduleInstances.organizationId, organizationId),
    eq(moduleInstances.stackId, stackId),
    ne(moduleInstances.status, 'DESTROYED'),
  )
  const workspaces = and(eq(stackWorkspaces.organizationId, organizationId), eq(stackWorkspaces.stackId, stackId))
  const resources = and(
    eq(iacResources.organizationId, organizationId),
    eq(iacResources.stackId, stackId),
    eq(iacResources.isInCurrentState, true),
  )
  return linesOf(tx, [
    { what: 'module instance', table: moduleInstances, where: instances },
    { what: 'workspace', table: stackWorkspaces, where: workspaces },
    { what: 'resource', table: iacResources, where: resources },
  ])
}

/** What is under way on an instance. */
export function usersOfModuleInstance(tx: Db, organizationId: string, id: string): Promise<string[]> {
  return linesOf(tx, [
    {
      what: 'deployment',
      table: deployments,
      where: and(
        eq(deployments.organizationId, organizationId),
        eq(deployments.moduleInstanceId, id),
        inArray(deployments.status, unfinishedStatuses),
      ),
    },
    {
      what: 'pipeline run',
      table: pipelineRuns,
      where: and(
        eq(pipelineRuns.organizationId, organizationId),
        eq(pipelineRuns.moduleInstanceId, id),
        inArray(pipelineRuns.status, unfinishedRunStatuses),
      ),
    },
    {
      what: 'step execution',
      table: pipelineStepExecutions,
      where: and(
        eq(pipelineStepExecutions.organizationId, organizationId),
        eq(pipelineStepExecutions.moduleInstanceId, id),
        inArray(pipelineStepExecutions.status, unfinishedStepStatuses),
      ),
    },
    // They would go with it, and who may delete it may not delete them.
    ...[
      { what: 'approval rule', table: approvalRules },
      { what: 'freeze', table: freezes },
      { what: 'policy', table: policies },
    ].map(({ what, table }) => ({
      what,
      table,
      where: and(eq(table.organizationId, organizationId), eq(table.moduleInstanceId, id)),
    })),
  ])
}

/**
 * What would have no place to run without an execution environment: what is assigned to it, or names it in its input.
 */
export function usersOfExecutionEnvironment(tx: Db, organizationId: string, id: string): Promise<string[]> {
  const steps = pipelineStepExecutions
  const input = sql`${moduleInstances.input}::text`
  return linesOf(tx, [
    {
      what: 'execution assignment',
      table: executionAssignments,
      where: and(
        eq(executionAssignments.organizationId, organizationId),
        eq(executionAssignments.executionEnvironmentId, id),
      ),
    },
    {
      what: 'module instance',
      table: moduleInstances,
      where: and(
        eq(moduleInstances.organizationId, organizationId),
        ne(moduleInstances.status, 'DESTROYED'),
        like(input, `%"${id}"%`),
      ),
    },
    {
      what: 'step',
      table: steps,
      where: and(
        eq(steps.organizationId, organizationId),
        inArray(steps.status, unfinishedStepStatuses),
        eq(steps.executionEnvironmentId, id),
      ),
    },
  ])
}
