import type { ScopedRecord } from '@sluice/contract'
import { deployments } from '../../delivery/deployments/store/tables.ts'
import { promotionRules } from '../../delivery/promotions/tables.ts'
import { approvalRules, freezes, holds, policies } from '../../gates/tables.ts'
import { previewEnvironments, previewTemplates } from '../../infrastructure/preview-environments/tables.ts'
import { scopesOfStacks } from '../../modules/module-instances/places.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { scopesOfApproval } from '../../pipelines/pipeline-runs/gates/approval-scopes.ts'
import { scopesOfRuns } from '../../pipelines/pipeline-runs/reach.ts'
import { pipelines, pipelineVersions } from '../../pipelines/pipelines/tables.ts'
import type { Scope } from '../../platform/auth/access.ts'
import { and, eq, inArray } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import type { FindScopes } from '../../platform/http/rights.ts'
import { defaultValues } from '../../projects/default-values/tables.ts'
import { domains } from '../../projects/domains/tables.ts'
import { environments, projects } from '../../projects/projects/tables.ts'
import { iacStateVersions } from '../../stacks/iac-states/tables.ts'
import { stackWorkspaces } from '../../stacks/stacks/tables.ts'
import { watchedRepositories } from '../watched-repositories/tables.ts'

/** Where the records are that a request names: what decides whose roles count. */
export const findScopes: FindScopes = async (db, organizationId, named) => {
  const found = await Promise.all(named.map(({ record, ids }) => scopesOf[record](db, organizationId, ids)))
  return found.flat()
}

type Find = (db: Db, organizationId: string, ids: string[]) => Promise<(Scope | 'organization')[]>

const ofProjects: Find = (db, organizationId, ids) =>
  db
    .select({ projectId: projects.id })
    .from(projects)
    .where(and(eq(projects.organizationId, organizationId), inArray(projects.id, ids)))

const ofEnvironments: Find = (db, organizationId, ids) =>
  db
    .select({ projectId: environments.projectId, environmentId: environments.id })
    .from(environments)
    .where(and(eq(environments.organizationId, organizationId), inArray(environments.id, ids)))

const ofInstances: Find = (db, organizationId, ids) =>
  db
    .select({ projectId: moduleInstances.projectId, environmentId: moduleInstances.environmentId })
    .from(moduleInstances)
    .where(and(eq(moduleInstances.organizationId, organizationId), inArray(moduleInstances.id, ids)))

const ofDomains: Find = (db, organizationId, ids) =>
  db
    .select({ projectId: domains.projectId, environmentId: domains.environmentId })
    .from(domains)
    .where(and(eq(domains.organizationId, organizationId), inArray(domains.id, ids)))

/** Where each was released, and where its instance is now: releasing it again acts there. */
const ofDeployments: Find = async (db, organizationId, ids) => {
  const rows = await db
    .select({
      projectId: deployments.projectId,
      environmentId: deployments.environmentId,
      moduleInstanceId: deployments.moduleInstanceId,
    })
    .from(deployments)
    .where(and(eq(deployments.organizationId, organizationId), inArray(deployments.id, ids)))
  const instances = rows.map(({ moduleInstanceId }) => moduleInstanceId)
  return [...rows, ...(await ofInstances(db, organizationId, instances))]
}

/** What holds in the narrowest place that it names. */
const ofRules =
  (rules: typeof freezes | typeof approvalRules | typeof policies): Find =>
  async (db, organizationId, ids) => {
    const rows = await db
      .select({ projectId: rules.projectId, environmentId: rules.environmentId })
      .from(rules)
      .where(and(eq(rules.organizationId, organizationId), inArray(rules.id, ids)))
    return rows.map(({ projectId, environmentId }) =>
      projectId === null ? 'organization' : { projectId, environmentId: environmentId ?? undefined },
    )
  }

/** A rule acts where releases come from and where they go to. */
const ofPromotionRules: Find = async (db, organizationId, ids) => {
  const rows = await db
    .select()
    .from(promotionRules)
    .where(and(eq(promotionRules.organizationId, organizationId), inArray(promotionRules.id, ids)))
  return rows.flatMap(({ projectId, fromEnvironmentId, environmentId }) => [
    { projectId, environmentId: fromEnvironmentId },
    { projectId, environmentId },
  ])
}

/** A template makes environments in its project, after one of them. */
const ofPreviewTemplates: Find = (db, organizationId, ids) =>
  db
    .select({ projectId: previewTemplates.projectId, environmentId: previewTemplates.environmentId })
    .from(previewTemplates)
    .where(and(eq(previewTemplates.organizationId, organizationId), inArray(previewTemplates.id, ids)))

const ofWatchedRepositories: Find = (db, organizationId, ids) =>
  db
    .select({ projectId: watchedRepositories.projectId })
    .from(watchedRepositories)
    .where(and(eq(watchedRepositories.organizationId, organizationId), inArray(watchedRepositories.id, ids)))

/** In its own environment, while there is one. */
const ofPreviews: Find = async (db, organizationId, ids) => {
  const rows = await db
    .select({ projectId: previewEnvironments.projectId, environmentId: previewEnvironments.environmentId })
    .from(previewEnvironments)
    .where(and(eq(previewEnvironments.organizationId, organizationId), inArray(previewEnvironments.id, ids)))
  return rows.map(({ projectId, environmentId }) => ({ projectId, environmentId: environmentId ?? undefined }))
}

/** Where each was set, and where its instance is now. */
const ofHolds: Find = async (db, organizationId, ids) => {
  const rows = await db
    .select({
      projectId: holds.projectId,
      environmentId: holds.environmentId,
      moduleInstanceId: holds.moduleInstanceId,
    })
    .from(holds)
    .where(and(eq(holds.organizationId, organizationId), inArray(holds.id, ids)))
  const instances = rows.map(({ moduleInstanceId }) => moduleInstanceId).filter((id) => id !== null)
  return [...rows, ...(await ofInstances(db, organizationId, instances))]
}

const ofPipelines: Find = (db, organizationId, ids) =>
  db
    .select({ projectId: pipelines.projectId })
    .from(pipelines)
    .where(and(eq(pipelines.organizationId, organizationId), inArray(pipelines.id, ids)))

const ofPipelineVersions: Find = (db, organizationId, ids) =>
  db
    .select({ projectId: pipelines.projectId })
    .from(pipelineVersions)
    .innerJoin(pipelines, eq(pipelines.id, pipelineVersions.pipelineId))
    .where(and(eq(pipelineVersions.organizationId, organizationId), inArray(pipelineVersions.id, ids)))

const ofWorkspaces: Find = async (db, organizationId, ids) => {
  const rows = await db
    .select({ stackId: stackWorkspaces.stackId })
    .from(stackWorkspaces)
    .where(and(eq(stackWorkspaces.organizationId, organizationId), inArray(stackWorkspaces.id, ids)))
  const stackIds = rows.map(({ stackId }) => stackId)
  return scopesOfStacks(db, organizationId, stackIds)
}

const ofStates: Find = async (db, organizationId, ids) => {
  const rows = await db
    .select({ workspaceId: iacStateVersions.workspaceId })
    .from(iacStateVersions)
    .where(and(eq(iacStateVersions.organizationId, organizationId), inArray(iacStateVersions.id, ids)))
  const workspaceIds = rows.map(({ workspaceId }) => workspaceId)
  return ofWorkspaces(db, organizationId, workspaceIds)
}

const ofParents: Find = async (db, organizationId, ids) => [
  ...(ids.includes(organizationId) ? (['organization'] as const) : []),
  ...(await ofProjects(db, organizationId, ids)),
  ...(await ofEnvironments(db, organizationId, ids)),
]

const ofDefaultValues: Find = async (db, organizationId, ids) => {
  const rows = await db
    .select({ parentId: defaultValues.parentId })
    .from(defaultValues)
    .where(and(eq(defaultValues.organizationId, organizationId), inArray(defaultValues.id, ids)))
  const parentIds = rows.map(({ parentId }) => parentId)
  return ofParents(db, organizationId, parentIds)
}

const scopesOf: Readonly<Record<ScopedRecord, Find>> = {
  projects: ofProjects,
  environments: ofEnvironments,
  'module-instances': ofInstances,
  deployments: ofDeployments,
  pipelines: ofPipelines,
  'pipeline-versions': ofPipelineVersions,
  'pipeline-runs': scopesOfRuns,
  approvals: scopesOfApproval,
  stacks: scopesOfStacks,
  'stack-workspaces': ofWorkspaces,
  'iac-state-versions': ofStates,
  'default-values': ofDefaultValues,
  domains: ofDomains,
  freezes: ofRules(freezes),
  'approval-rules': ofRules(approvalRules),
  'promotion-rules': ofPromotionRules,
  'preview-templates': ofPreviewTemplates,
  'watched-repositories': ofWatchedRepositories,
  'preview-environments': ofPreviews,
  policies: ofRules(policies),
  holds: ofHolds,
  'default-value-parents': ofParents,
}
