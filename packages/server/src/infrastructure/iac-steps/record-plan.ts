import type { PlanRead, PlanReport } from '@sluice/contract/runner-protocol'
import { sealPlan } from '../../pipelines/iac-plans/sealed.ts'
import { findPlanOfStep, savePlan } from '../../pipelines/iac-plans/store.ts'
import type { IacPlanRow } from '../../pipelines/iac-plans/tables.ts'
import type { PipelineStepExecutionRow } from '../../pipelines/pipelines/tables.ts'
import { findRunOf } from '../../pipelines/runner/claim.ts'
import type { Ordered } from '../../pipelines/runner/order.ts'
import { StepFailure } from '../../pipelines/runner/step-failure.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PlanFile, type ReadPlan, readPlan } from '../adapter/plan.ts'
import { hiding } from '../adapter/sensitive.ts'
import { markDrift, recordResources } from '../iac-resources/record.ts'
import { digestOf } from './digest.ts'
import type { Setup } from './setup.ts'
import { planUsed } from './stand.ts'

type Kind = IacPlanRow['kind']

/** Reads a plan that a runner has made, and keeps it. Handed in again, it takes the place of the one before. */
export async function recordPlan(
  { db, seal }: { db: Db; seal: Seal },
  step: PipelineStepExecutionRow,
  { order, cloudAccountId, workspaceId = null }: Ordered,
  report: PlanReport,
): Promise<PlanRead> {
  const { stackId, organizationId } = step
  if (order.kind !== 'iac' || !order.wish || stackId === null) {
    throw new StepFailure('iacStepInvalid', 'The step was not to plan.')
  }
  const before = await findPlanOfStep(db, organizationId, step.id)
  if (before?.status === 'APPLYING' || before?.status === 'APPLIED') throw planUsed(before)
  const kind = kindOf(order.run, order.wish.destroy)
  const read = readIn(report, kind)
  const { commit } = report
  // From here on it is this commit and this version, whatever the branch and the runner come to have.
  const source = 'url' in order.source ? { ...order.source, commit } : order.source
  const { tool, env: environment, region } = order
  const setup: Setup = {
    source,
    tool,
    toolVersion: report.toolVersion,
    workspaceId,
    environment,
    cloudAccountId,
    region,
  }
  const row = await store(
    db,
    step,
    {
      stackId,
      workspaceId,
      kind,
      hasChanges: read.hasChanges,
      summary: summaryOf(read),
      tool: report.tool === 'tofu' ? 'iac' : 'iac_alt',
      toolVersion: report.toolVersion,
      source: 'files' in source ? { files: Object.keys(source.files), basePath: source.basePath } : source,
      lineage: report.before?.lineage ?? null,
      serial: report.before?.serial ?? null,
      configDigest: report.configDigest,
      inputsDigest: digestOf({ wish: order.wish, environment, cloudAccountId, region }),
      sealed: kind === 'DRIFT' ? null : await sealed(seal, step, report, { setup, read }),
    },
    read,
  )
  return { output: outputOf(row, read), secrets: read.secrets, total: read.resources.length, changes: read.counts }
}

function kindOf(run: 'PLAN' | 'DRIFT' | 'APPLY' | 'DESTROY', destroy: boolean): Kind {
  if (run === 'DRIFT') return 'DRIFT'
  return destroy ? 'DESTROY' : 'PLAN'
}

/** What a runner sends may be anything. */
function readIn({ plan }: PlanReport, kind: Kind): ReadPlan {
  try {
    return readPlan(plan as PlanFile, { isDrift: kind === 'DRIFT' })
  } catch (error) {
    const description = error instanceof Error ? error.message : String(error)
    throw new StepFailure('iacPlanFailed', 'The plan could not be read.', { description })
  }
}

function sealed(
  seal: Seal,
  { organizationId, id: stepExecutionId }: PipelineStepExecutionRow,
  { file, lockFile }: PlanReport,
  { setup, read }: { setup: Setup; read: ReadPlan },
): Promise<string> {
  const of = { organizationId, stepExecutionId }
  return sealPlan(seal, of, { file: Buffer.from(file, 'base64'), lockFile, setup, secrets: read.secrets })
}

type NewPlan = Omit<Parameters<typeof savePlan>[1], 'organizationId' | 'pipelineRunId' | 'stepExecutionId' | 'status'>

async function store(db: Db, step: PipelineStepExecutionRow, plan: NewPlan, read: ReadPlan): Promise<IacPlanRow> {
  const { organizationId, id: stepExecutionId, pipelineRunId } = step
  const { kind, stackId, workspaceId } = plan
  const hide = hiding(read.secrets)
  const found = read.resources.map(({ before, after, isInState, isTainted, ...resource }) => ({
    ...resource,
    isInCurrentState: isInState,
    tainted: isTainted,
    runType: kind,
    vendorData: { before: hide(before), after: hide(after) },
  }))
  const { pipelineId } = await findRunOf(db, step)
  return db.transaction(async (tx) => {
    const row = await savePlan(tx, { ...plan, organizationId, pipelineRunId, stepExecutionId, status: 'PLANNED' })
    await recordResources(tx, { organizationId, pipelineId, pipelineRunId, stepExecutionId, stackId }, found)
    if (kind === 'DRIFT') {
      const workspace = { organizationId, stackId, workspaceId: workspaceId ?? null }
      await markDrift(tx, workspace, 'IN_SYNC', addressesOf(read, 'IN_SYNC'))
      await markDrift(tx, workspace, 'DRIFTED', addressesOf(read, 'DRIFTED'))
    }
    return row
  })
}

const addressesOf = ({ resources }: ReadPlan, status: 'IN_SYNC' | 'DRIFTED') =>
  resources.filter(({ driftStatus }) => driftStatus === status).map(({ address }) => address)

const summaryOf = ({ counts, driftedCount }: ReadPlan) => ({ changeCounts: counts, driftedCount })

/** What other steps read of a plan. */
function outputOf({ id, kind, hasChanges }: IacPlanRow, read: ReadPlan): Record<string, unknown> {
  const summary = summaryOf(read)
  if (kind !== 'DRIFT') return { plan_id: id, has_changes: hasChanges, summary }
  const drifted = addressesOf(read, 'DRIFTED')
  return { plan_id: id, has_drifted: drifted.length > 0, drifted, summary }
}
