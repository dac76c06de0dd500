import { failures, type Permission, type UserFacingError } from '@sluice/contract'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { permissionsOn, type Scope } from '../../platform/auth/access.ts'
import { and, eq, inArray } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { accessOfPrincipal, restrictedIn } from '../../projects/role-grants/access.ts'
import type { StepConfig } from '../pipeline-versions/config/schema.ts'
import { stepsBefore } from '../pipeline-versions/config/steps.ts'
import { pipelineRuns, pipelines } from '../pipelines/tables.ts'
import type { RunContext } from './context.ts'

/** Permission that a step needs, and the scopes of its action. */
export type StepAction = { permission: Permission; scopes: readonly Scope[] }

type Reaching = Pick<RunContext, 'run' | 'pipeline' | 'steps' | 'config' | 'versionAuthorId'>

/**
 * Returns the error if a step lacks the permission in a scope; undefined if it has it. A run has the current
 * permissions of its principal, extended by approvals of users who can approve in the scope.
 */
export async function missingPermission(
  db: Db,
  context: Reaching,
  step: Pick<StepConfig, 'id'>,
  { permission, scopes }: StepAction,
): Promise<UserFacingError | undefined> {
  const { organizationId } = context.run
  const mayActIn = await allowedScopes(db, context, permission)
  const missing = scopes.filter((scope) => !mayActIn(scope))
  if (missing.length === 0) return undefined
  const approvers = approversOf(context, step)
  const accesses = await Promise.all(approvers.map((id) => accessOfPrincipal(db, organizationId, id)))
  const isApproved = (scope: Scope) =>
    accesses.some((access) => access !== undefined && permissionsOn(access, scope).has('approvals:write'))
  const beyond = missing.find((scope) => !isApproved(scope))
  return beyond && permissionError(context, permission, beyond)
}

/** Returns the principal of a run: its starter or, for a trigger, the author of the version. */
export const principalOf = ({ run, versionAuthorId }: Pick<Reaching, 'run' | 'versionAuthorId'>): string | null =>
  run.actsFor ?? versionAuthorId

/**
 * Returns the scopes in which a run has a permission without approvals. A run by a trigger continues after the author
 * of its version has left, in the unrestricted scopes of its own project.
 */
async function allowedScopes(db: Db, context: Reaching, permission: Permission): Promise<(scope: Scope) => boolean> {
  const { run, pipeline } = context
  const { organizationId, projectId: own } = pipeline
  const principalId = principalOf(context)
  const access = principalId === null ? undefined : await accessOfPrincipal(db, organizationId, principalId)
  const mayOwn = (scope: Scope) => access !== undefined && permissionsOn(access, scope).has(permission)
  if (run.actsFor !== null) return mayOwn
  const restricted = await restrictedIn(db, organizationId)
  const isOpen = ({ projectId, environmentId }: Scope) =>
    projectId === own && !restricted.has(projectId) && !restricted.has(environmentId ?? '')
  return (scope) => mayOwn(scope) || isOpen(scope)
}

/** Returns the users who approved the step or a step before it. */
function approversOf({ config, steps }: Reaching, { id }: Pick<StepConfig, 'id'>): string[] {
  const index = config.steps.findIndex((one) => one.id === id)
  const counting = new Set([id, ...stepsBefore(config.steps, index)])
  return steps.flatMap(({ stepId, decision }) =>
    counting.has(stepId) && decision?.approved && decision.actorId !== undefined ? [decision.actorId] : [],
  )
}

function permissionError({ run }: Reaching, permission: Permission, scope: Scope): UserFacingError {
  const { projectId, environmentId } = scope
  const where = environmentId === undefined ? `project ${projectId}` : `environment ${environmentId}`
  const whose = run.actsFor === null ? 'the author of this version of the pipeline' : run.triggeredBy
  return {
    code: failures.runBeyondRights.code,
    message: `The run acts for ${whose}, who lacks the permission ${permission} in the ${where}.`,
    description:
      'A user who may deploy there can start it, or approve it: add an approval before this step. An owner can assign a role there.',
    metadata: { permission, projectId, ...(environmentId !== undefined && { environmentId }) },
  }
}

/** Returns the scopes of runs: the environment of the run's instance, or otherwise the project of the pipeline. */
export async function scopesOfRuns(db: Db, organizationId: string, ids: string[]): Promise<Scope[]> {
  const rows = await db
    .select({ projectId: pipelines.projectId, environmentId: moduleInstances.environmentId })
    .from(pipelineRuns)
    .innerJoin(pipelines, eq(pipelines.id, pipelineRuns.pipelineId))
    .leftJoin(moduleInstances, eq(moduleInstances.id, pipelineRuns.moduleInstanceId))
    .where(and(eq(pipelineRuns.organizationId, organizationId), inArray(pipelineRuns.id, ids)))
  return rows.map(({ projectId, environmentId }) => ({ projectId, environmentId: environmentId ?? undefined }))
}
