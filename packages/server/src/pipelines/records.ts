import { unfinishedRunStatuses, unfinishedStepStatuses } from '@sluice/contract'
import { and, eq, inArray } from '../platform/db/drizzle.ts'
import { type Declarations, scopesFromColumns, scopesOfReferences } from '../platform/records.ts'
import { executionAssignments } from './execution-assignments/tables.ts'
import { iacPlans } from './iac-plans/tables.ts'
import { scopesOfApproval } from './pipeline-runs/gates/approval-scopes.ts'
import { scopesOfRuns } from './pipeline-runs/permissions.ts'
import { pipelineRuns, pipelineStepExecutions, pipelines, pipelineVersions } from './pipelines/tables.ts'

const isUnfinishedRun = inArray(pipelineRuns.status, unfinishedRunStatuses)
const isUnfinishedStep = inArray(pipelineStepExecutions.status, unfinishedStepStatuses)

export const pipelineRecords: Declarations = [
  {
    collection: 'pipelines',
    prefix: 'pl',
    label: 'pipeline',
    table: pipelines,
    places: scopesFromColumns(pipelines),
    dependsOn: { projects: pipelines.projectId },
  },
  {
    collection: 'pipeline-versions',
    prefix: 'plv',
    label: 'pipeline version',
    table: pipelineVersions,
    places: scopesOfReferences(pipelineVersions, pipelineVersions.pipelineId, scopesFromColumns(pipelines)),
  },
  {
    collection: 'pipeline-runs',
    prefix: 'run',
    label: 'pipeline run',
    table: pipelineRuns,
    places: scopesOfRuns,
    dependsOn: {
      organizations: () => isUnfinishedRun,
      pipelines: (id) => and(eq(pipelineRuns.pipelineId, id), isUnfinishedRun),
      'module-instances': (id) => and(eq(pipelineRuns.moduleInstanceId, id), isUnfinishedRun),
    },
  },
  {
    collection: 'pipeline-step-executions',
    prefix: 'step',
    label: 'step execution',
    table: pipelineStepExecutions,
    dependsOn: {
      'module-instances': (id) => and(eq(pipelineStepExecutions.moduleInstanceId, id), isUnfinishedStep),
      'execution-environments': (id) => and(eq(pipelineStepExecutions.executionEnvironmentId, id), isUnfinishedStep),
    },
  },
  { collection: 'iac-plans', prefix: 'iap', label: 'plan', table: iacPlans },
  { collection: 'approvals', places: scopesOfApproval },
  {
    collection: 'execution-assignments',
    prefix: 'exa',
    label: 'execution assignment',
    table: executionAssignments,
    dependsOn: { 'execution-environments': executionAssignments.executionEnvironmentId },
  },
]
