import type { AppliedReport, ApplyReportResponse } from '@sluice/contract/runner-protocol'
import { openPlan } from '../../pipelines/iac-plans/sealed.ts'
import type { IacPlanRow } from '../../pipelines/iac-plans/tables.ts'
import type { PipelineStepExecutionRow } from '../../pipelines/pipelines/tables.ts'
import type { LimitValues } from '../../platform/limits/table.ts'
import { readState, type State } from '../../stacks/iac-states/state-file.ts'
import { findLatestState, openState } from '../../stacks/iac-states/store.ts'
import { readShownState } from '../adapter/shown-state.ts'
import { storeLeftoverState } from './leftover-state.ts'
import { outputOf } from './output.ts'
import { endStalePlan, planStateOf } from './plan-state.ts'
import { type RecordParts, recordApply } from './record-apply.ts'
import type { Setup } from './setup.ts'
import { storableOutputs } from './storable-state.ts'
import { planOf } from './take-plan.ts'

/** Stores the result of an apply once. A repeated report gets the first response. */
export async function storeApplyResult(
  parts: RecordParts & { mosts: LimitValues },
  step: PipelineStepExecutionRow,
  report: AppliedReport,
): Promise<ApplyReportResponse> {
  const { db, seal, clock } = parts
  const plan = await planOf(db, step)
  const stand = planStateOf(plan, step)
  if (stand !== 'taken') return stand === 'applied' ? answerAgain(parts, plan, report) : { output: {}, secrets: [] }
  const said = await storeLeftoverState(parts, step, plan, report.leftover)
  if (report.isStale) throw await endStalePlan(db, plan, 'The state was changed after the plan was made.', clock())
  const { secrets } = await openPlan<Setup>(seal, plan, plan.sealed ?? '')
  const state = await stateNow(parts, plan, report)
  const outcome = report.hasSucceeded ? 'APPLIED' : 'FAILED'
  const shown = readShownState(report.shownState)
  const found = await recordApply(parts, step, { plan, outcome, events: report.events, state, shown, secrets })
  const { omittedValues } = storableOutputs(state)
  return { output: await outputOf(db, seal, plan), secrets: found, said, omittedValues }
}

async function answerAgain(parts: RecordParts, plan: IacPlanRow, report: AppliedReport): Promise<ApplyReportResponse> {
  const { omittedValues } = storableOutputs(await stateNow(parts, plan, report))
  return { output: await outputOf(parts.db, parts.seal, plan), secrets: [], omittedValues }
}

async function stateNow(
  { db, seal }: RecordParts,
  { organizationId, workspaceId }: IacPlanRow,
  { pulled }: AppliedReport,
): Promise<State | undefined> {
  if (workspaceId === null) return pulled === undefined ? undefined : readState(Buffer.from(pulled, 'base64'))
  const latest = await findLatestState(db, organizationId, workspaceId)
  return latest && readState(await openState(seal, latest))
}
