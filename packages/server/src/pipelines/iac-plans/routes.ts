import { type IacPlan, routes } from '@sluice/contract'
import type { App } from '../../platform/http/app.ts'
import { handle, handleList } from '../../platform/http/handle.ts'
import { missing } from '../../platform/http/references.ts'
import { present } from '../../platform/present.ts'
import { changeCountsOf } from './change-counts.ts'
import { findIacPlan, listIacPlans } from './store.ts'
import type { IacPlanRow } from './tables.ts'

export function serveIacPlans(app: App): void {
  handleList(app, routes.listIacPlans, listIacPlans, serialize)

  handle(app, routes.getIacPlan, async ({ params, caller, db }) => {
    const plan = await findIacPlan(db, caller.organizationId, params.id)
    if (!plan) throw missing('iacPlanUnknown', 'plan', params.id)
    return { data: serialize(plan) }
  })
}

const serialize = (row: IacPlanRow): IacPlan =>
  present({
    id: row.id,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    organizationId: row.organizationId,
    stackId: row.stackId,
    stackWorkspaceId: row.workspaceId ?? undefined,
    pipelineRunId: row.pipelineRunId,
    stepExecutionId: row.stepExecutionId,
    kind: row.kind,
    status: row.status,
    hasChanges: row.hasChanges,
    changeCounts: changeCountsOf(row.summary),
    typeCounts: row.summary.typeCounts,
    review: row.review ?? undefined,
    cost: row.summary.cost,
    driftedCount: row.summary.driftedCount,
    tool: row.tool,
    toolVersion: row.toolVersion,
    source: row.source,
    stateLineage: row.lineage ?? undefined,
    stateSerial: row.serial ?? undefined,
    configDigest: row.configDigest,
    inputsDigest: row.inputsDigest,
    appliedByStepExecutionId: row.appliedByStepExecutionId ?? undefined,
    appliedAt: row.appliedAt?.toISOString(),
    policies: row.policies ?? undefined,
  })
