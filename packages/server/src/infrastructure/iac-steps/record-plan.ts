import type { PlanCost } from '@sluice/contract'
import type { PlanReport, PlanReportResponse, PlanRequest } from '@sluice/contract/runner-protocol'
import type { OmittedValue } from '@sluice/contract/storable-value'
import { sealPlan } from '../../pipelines/iac-plans/sealed.ts'
import { findPlanOfStep, savePlan, storeVerdicts } from '../../pipelines/iac-plans/store.ts'
import type { IacPlanRow } from '../../pipelines/iac-plans/tables.ts'
import type { PipelineStepExecutionRow } from '../../pipelines/pipelines/tables.ts'
import { findRunOf } from '../../pipelines/runner/claim.ts'
import type { Ordered } from '../../pipelines/runner/order.ts'
import { StepFailure } from '../../pipelines/runner/step-failure.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import type { Db } from '../../platform/db/open.ts'
import { type ReadPlan, readPlan } from '../adapter/plan.ts'
import { type PlanFile, variablePrefix } from '../adapter/plan-format.ts'
import { createMask } from '../adapter/sensitive.ts'
import { toStorablePlan } from '../adapter/storable-plan.ts'
import { markDrift, recordResources } from '../iac-resources/record.ts'
import { costOf } from '../price-list/cost.ts'
import { readPriceList } from '../price-list/store.ts'
import { digestOf } from './digest.ts'
import { evaluatePlan } from './evaluate-plan.ts'
import { type PlanInputs, planInputsOf } from './plan-inputs.ts'
import { reviewOf } from './plan-review.ts'
import { planUsed } from './plan-state.ts'
import type { Setup } from './setup.ts'
import { hideInput } from './shown-input.ts'
import { typeCountsOf } from './type-counts.ts'

type Kind = IacPlanRow['kind']

/**
 * Parses a runner's plan and stores it with the policy decisions, some of which require approval. A repeated report
 * replaces the earlier plan.
 */
export async function recordPlan(
  { db, seal, clock }: { db: Db; seal: Seal; clock: () => Date },
  step: PipelineStepExecutionRow,
  { order, secrets = [], kept = {}, cloudAccountId, workspaceId = null }: Ordered,
  report: PlanReport,
): Promise<PlanReportResponse> {
  const { stackId, organizationId } = step
  if (order.kind !== 'iac' || !order.wish || stackId === null) {
    throw new StepFailure('iacStepInvalid', 'The step is not a plan step.')
  }
  const before = await findPlanOfStep(db, organizationId, step.id)
  if (before?.status === 'APPLYING' || before?.status === 'APPLIED') throw planUsed(before)
  const kind = kindOf(order.run, order.wish.destroy)
  const { read, ownSecrets, omittedValues } = readIn(report, kind, secrets)
  const { commit } = report
  // Pins the commit and tool version, so that the apply uses the same even if the branch or runner changes.
  const source = 'url' in order.source ? { ...order.source, commit } : order.source
  const { tool, region, wish: request } = order
  const { values, ephemeral } = inputsIn(report, order.env, { request, kept })
  const { variables, environment } = values
  const setup: Setup = {
    source,
    tool,
    toolVersion: report.toolVersion,
    workspaceId,
    environment,
    kept,
    cloudAccountId,
    region,
    inputs: { variables, variableFiles: request.variableFiles, ephemeral },
  }
  const resources = resourcesFound(read, kind)
  const cost = kind === 'DRIFT' ? undefined : await costIn(db, organizationId, resources)
  const row = await store(
    db,
    step,
    {
      stackId,
      workspaceId,
      kind,
      hasChanges: read.hasChanges,
      summary: {
        changeCounts: read.counts,
        driftedCount: read.driftedCount,
        typeCounts: typeCountsOf(read.resources),
        ...(cost && { cost }),
      },
      review: reviewOf(read, report.warnings ?? [], order.env),
      tool: report.tool === 'tofu' ? 'iac' : 'iac_alt',
      toolVersion: report.toolVersion,
      source: 'files' in source ? { files: Object.keys(source.files), basePath: source.basePath } : source,
      lineage: report.before?.lineage ?? null,
      serial: report.before?.serial ?? null,
      configDigest: report.configDigest,
      inputsDigest: digestOf({ wish: { ...request, variables }, environment, kept, cloudAccountId, region, ephemeral }),
      sealed: kind === 'DRIFT' ? null : await sealed(seal, step, report, { setup, secrets: ownSecrets }),
    },
    { read, resources, ephemeral },
  )
  if (step.stepType === 'iac:plan') {
    const { verdicts } = await evaluatePlan(db, step, row, { now: clock() })
    await storeVerdicts(db, row, verdicts)
  }
  const { counts: changes, resources: all } = read
  return { output: outputOf(row, read), secrets: read.secrets, total: all.length, changes, omittedValues }
}

/** Returns the plan's inputs without values from the cloud account. */
function inputsIn(
  { plan }: PlanReport,
  env: Record<string, string>,
  { request: { variables }, kept }: { request: PlanRequest; kept: object },
): PlanInputs {
  const environment = Object.fromEntries(Object.entries(env).filter(([name]) => !Object.hasOwn(kept, name)))
  return planInputsOf(plan as PlanFile, { variables, environment })
}

function kindOf(run: 'PLAN' | 'DRIFT' | 'APPLY' | 'DESTROY', destroy: boolean): Kind {
  if (run === 'DRIFT') return 'DRIFT'
  return destroy ? 'DESTROY' : 'PLAN'
}

/**
 * Parses a report, which may contain anything. Masks the secrets of the attempt and of the plan; only the plan's are
 * stored.
 */
function readIn(
  report: PlanReport,
  kind: Kind,
  secrets: readonly string[],
): { read: ReadPlan; ownSecrets: string[]; omittedValues: OmittedValue[] } {
  try {
    const { plan, omittedValues } = toStorablePlan(report.plan)
    const read = readPlan(plan, { isDrift: kind === 'DRIFT' })
    const hidden = { ...read, secrets: [...read.secrets, ...secrets] }
    return { read: hidden, ownSecrets: read.secrets, omittedValues }
  } catch (error) {
    const description = error instanceof Error ? error.message : String(error)
    throw new StepFailure('iacPlanFailed', 'The plan could not be read.', { description })
  }
}

function sealed(
  seal: Seal,
  { organizationId, id: stepExecutionId }: PipelineStepExecutionRow,
  { file, lockFile }: PlanReport,
  { setup, secrets }: { setup: Setup; secrets: string[] },
): Promise<string> {
  const of = { organizationId, stepExecutionId }
  return sealPlan(seal, of, { file: Buffer.from(file, 'base64'), lockFile, setup, secrets })
}

type NewPlan = Omit<Parameters<typeof savePlan>[1], 'organizationId' | 'pipelineRunId' | 'stepExecutionId' | 'status'>

type Found = ReturnType<typeof resourcesFound>[number]

/** Returns the plan's resources for storage, without secrets. */
function resourcesFound(read: ReadPlan, kind: Kind) {
  const hide = createMask(read.secrets)
  return read.resources.map(({ before, after, isInState, isTainted, ...resource }) => ({
    ...resource,
    isInCurrentState: isInState,
    tainted: isTainted,
    runType: kind,
    vendorData: { before: hide(before), after: hide(after) },
  }))
}

async function store(
  db: Db,
  step: PipelineStepExecutionRow,
  plan: NewPlan,
  { read, resources, ephemeral }: { read: ReadPlan; resources: Found[]; ephemeral: PlanInputs['ephemeral'] },
): Promise<IacPlanRow> {
  const { organizationId, id: stepExecutionId, pipelineRunId } = step
  const { kind, stackId, workspaceId } = plan
  const { pipelineId } = await findRunOf(db, step)
  return db.transaction(async (tx) => {
    const row = await savePlan(tx, { ...plan, organizationId, pipelineRunId, stepExecutionId, status: 'PLANNED' })
    await recordResources(tx, { organizationId, pipelineId, pipelineRunId, stepExecutionId, stackId }, resources)
    const { sensitive, sensitiveValues } = read.variables
    await hideInput(tx, step, [...sensitive, ...namesOf(ephemeral)], sensitiveValues)
    if (kind === 'DRIFT') {
      const workspace = { organizationId, stackId, workspaceId: workspaceId ?? null }
      await markDrift(tx, workspace, 'IN_SYNC', addressesOf(read, 'IN_SYNC'))
      await markDrift(tx, workspace, 'DRIFTED', addressesOf(read, 'DRIFTED'))
    }
    return row
  })
}

const namesOf = ({ variables, environment }: PlanInputs['ephemeral']): string[] => [
  ...variables,
  ...environment.map((name) => name.slice(variablePrefix.length)),
]

const addressesOf = ({ resources }: ReadPlan, status: 'IN_SYNC' | 'DRIFTED') =>
  resources.filter(({ driftStatus }) => driftStatus === status).map(({ address }) => address)

/** Returns the cost with the current price list. */
async function costIn(db: Db, organizationId: string, resources: readonly Found[]): Promise<PlanCost | undefined> {
  const priced = resources.filter(isOfStack).map(({ resourceType, vendorData }) => ({ resourceType, ...vendorData }))
  return costOf(await readPriceList(db, organizationId), priced)
}

/** Reports whether a resource belongs to the stack. Data sources exist without it and cost it nothing. */
const isOfStack = ({ changeType, address, moduleAddress }: Found): boolean =>
  changeType !== 'READ' &&
  !address.slice(moduleAddress === undefined ? 0 : moduleAddress.length + 1).startsWith('data.')

/** Returns the output of a plan for other steps. */
function outputOf({ id, kind, hasChanges, summary }: IacPlanRow, read: ReadPlan): Record<string, unknown> {
  if (kind !== 'DRIFT') return { plan_id: id, has_changes: hasChanges, summary }
  const drifted = addressesOf(read, 'DRIFTED')
  return { plan_id: id, has_drifted: drifted.length > 0, drifted, summary }
}
