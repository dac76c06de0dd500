import { access, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openPlan } from '../../pipelines/iac-plans/sealed.ts'
import { endPlan, findPlanInRun, findPlanOfStep, takePlan } from '../../pipelines/iac-plans/store.ts'
import type { IacPlanRow } from '../../pipelines/iac-plans/tables.ts'
import { begunBy, configOf } from '../../pipelines/pipeline-versions/config/steps.ts'
import { findPipelineVersion } from '../../pipelines/pipeline-versions/store.ts'
import type { Attempt, Outcome } from '../../pipelines/runner/work.ts'
import { readState } from '../../stacks/iac-states/state-file.ts'
import { findLatestState, openState } from '../../stacks/iac-states/store.ts'
import { outputsOf } from '../../stacks/stacks/outputs.ts'
import { findStack } from '../../stacks/stacks/store.ts'
import { apply as applyPlan, hasSucceeded, leftoverState, planFile, pullState, type Workplace } from '../adapter/run.ts'
import { StepFailure, toolFailure } from './failure.ts'
import type { IacParts } from './parts.ts'
import { makePlan } from './plan.ts'
import { prepare } from './prepare.ts'
import { createProgress, type ProgressShown } from './progress.ts'
import { recordApply } from './record-apply.ts'
import { salvage } from './salvage.ts'
import { givenTo, type Setup } from './setup.ts'

/** Applies exactly the plan of an earlier step. */
export async function applyStep(parts: IacParts, attempt: Attempt): Promise<Outcome> {
  givenTo('iac:apply', attempt)
  const plan = await planToApply(parts, attempt)
  const before = await standOf(parts, attempt, plan)
  if (before === 'applied') return outcomeOf(parts, plan)
  if (before === 'elsewhere') throw planUsed(plan)
  if (plan.sealed === null) throw planUsed(plan)
  const { file, lockFile, setup, secrets } = await openPlan<Setup>(parts.seal, plan.sealed)
  for (const secret of secrets) attempt.mask(secret)
  const progress = createProgress(attempt)
  const { place, checkedOut } = await prepare(parts, attempt, setup, progress, lockFile)
  if (checkedOut.digest !== plan.configDigest) {
    throw await stale(parts, plan, 'The files of the configuration are not those that the plan was made of.')
  }
  await writeFile(planFile(place.directory), file, { mode: 0o600 })
  return carryOut(parts, attempt, { plan, place, secrets, progress })
}

/** The plan of the step that this one names, else of the nearest one before it. */
async function planToApply({ db }: IacParts, { run, step }: Attempt): Promise<IacPlanRow> {
  const version = await findPipelineVersion(db, step.organizationId, run.pipelineVersionId)
  const steps = version ? configOf(version).steps : []
  const config = steps.find(({ id }) => id === step.stepId)
  const planStep = config && begunBy(steps, config)
  const plan = planStep === undefined ? undefined : await findPlanInRun(db, step, planStep)
  if (plan?.stackId === step.stackId) return plan
  throw new StepFailure(
    'iacPlanNotFound',
    `The step ${planStep ?? 'before'} has made no plan for the step ${step.stepId} to apply.`,
  )
}

/** Plans that everything goes, and applies that plan. */
export async function destroyStep(parts: IacParts, attempt: Attempt): Promise<Outcome> {
  const given = givenTo('iac:destroy', attempt)
  const before = await findPlanOfStep(parts.db, attempt.step.organizationId, attempt.step.id)
  if (before && (await standOf(parts, attempt, before)) === 'applied') return outcomeOf(parts, before)
  const progress = createProgress(attempt)
  if (before?.status === 'APPLYING') {
    // The plan is made and taken: what was found in the attempt's directory goes on from there.
    const { setup, secrets } = await openPlan<Setup>(parts.seal, before.sealed ?? '')
    const { place } = await prepare(parts, attempt, setup, progress)
    return carryOut(parts, attempt, { plan: before, place, secrets, progress })
  }
  const { row, read, prepared } = await makePlan(parts, attempt, given, 'DESTROY', progress)
  return carryOut(parts, attempt, { plan: row, place: prepared.place, secrets: read.secrets, progress })
}

type Stand = 'free' | 'ours' | 'applied' | 'elsewhere'

/** In the attempt's directory: this very attempt has taken the plan, and not one before it. */
const takenNote = 'taken-plan'

/**
 * How a plan stands to an attempt. One that this step has taken in an earlier attempt is lost: nobody knows how far that
 * one came, so nothing is applied again.
 */
async function standOf(parts: IacParts, attempt: Attempt, plan: IacPlanRow): Promise<Stand> {
  if (plan.status === 'PLANNED' || plan.status === 'FAILED' || plan.status === 'STALE') {
    return plan.status === 'PLANNED' ? 'free' : 'elsewhere'
  }
  if (plan.appliedByStepExecutionId !== attempt.step.id) return 'elsewhere'
  if (plan.status === 'APPLIED') return 'applied'
  if (await isThere(join(attempt.directory, takenNote))) return 'ours'
  await endPlan(parts.db, plan, 'FAILED', parts.clock())
  throw new StepFailure(
    'iacApplyInterrupted',
    'The runner was lost while it applied the plan; how far it came is not known.',
    {
      description: 'Nothing is applied a second time. Plan again: the new plan shows what is left to do.',
      metadata: { planId: plan.id },
    },
  )
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

const planUsed = ({ id, status }: IacPlanRow) =>
  new StepFailure('iacPlanUsed', `The plan ${id} is ${status}: a plan is applied at most once. Plan again.`)

async function stale({ db, clock }: IacParts, plan: IacPlanRow, description: string): Promise<StepFailure> {
  await endPlan(db, plan, 'STALE', clock())
  return new StepFailure('iacPlanStale', `The plan ${plan.id} is out of date. Plan again.`, { description })
}

type Work = { plan: IacPlanRow; place: Workplace; secrets: string[]; progress: ProgressShown }

/** Takes the plan, applies it, and writes down what came of it, however it ended. */
async function carryOut(parts: IacParts, attempt: Attempt, work: Work): Promise<Outcome> {
  const { plan, place, progress } = work
  if (plan.status === 'PLANNED') {
    const moved = await whatMoved(parts, plan)
    if (moved !== undefined) throw await stale(parts, plan, moved)
    // First the note, then the row: an attempt that finds the row taken and no note is another one.
    await writeFile(join(attempt.directory, takenNote), plan.id)
    if (!(await takePlan(parts.db, plan, attempt.step.id))) throw planUsed(plan)
  }
  const counts = plan.summary.changeCounts
  const { NO_OP: _, ...changes } = counts
  progress.enter('apply', { total: Object.values(changes).reduce((sum, count) => sum + count, 0), changes })
  const ran = await applyPlan(place)
  await progress.flush()
  await salvage(parts, attempt, plan, join(place.directory, leftoverState))
  const isStale = ran.events.some((event) => event.kind === 'error' && /saved plan is stale/i.test(event.summary))
  if (isStale) throw await stale(parts, plan, 'The state was changed after the plan was made.')
  const state = await stateNow(parts, plan, place)
  const outcome = hasSucceeded(ran) ? ('APPLIED' as const) : ('FAILED' as const)
  await recordApply(parts, attempt, { plan, outcome, events: ran.events, state, secrets: work.secrets })
  if (outcome === 'APPLIED') return outcomeOf(parts, plan)
  throw toolFailure('iacApplyFailed', 'Not every change could be made.', ran.events)
}

/** What has changed since the plan was made; undefined for nothing. */
async function whatMoved({ db }: IacParts, plan: IacPlanRow): Promise<string | undefined> {
  const { organizationId, workspaceId, lineage, serial } = plan
  if (workspaceId === null) return undefined // the tool itself looks
  const latest = await findLatestState(db, organizationId, workspaceId)
  if ((latest?.lineage ?? null) === lineage && (latest?.serial ?? null) === serial) return undefined
  if (latest && lineage !== null && latest.lineage !== lineage) {
    return `The state is of the lineage ${latest.lineage}; the plan was made for one of ${lineage}.`
  }
  const [was, is] = [serial ?? 'none', latest?.serial ?? 'none']
  return `The state was changed after the plan was made: its serial is ${is}, that of the plan ${was}. It was written by ${latest?.createdBy ?? 'nobody'}.`
}

async function stateNow({ db, seal }: IacParts, { organizationId, workspaceId }: IacPlanRow, place: Workplace) {
  if (workspaceId === null) {
    const pulled = await pullState(place)
    return pulled && readState(pulled)
  }
  const latest = await findLatestState(db, organizationId, workspaceId)
  return latest && readState(await openState(seal, latest))
}

/** What other steps read of it. */
async function outcomeOf({ db, seal }: IacParts, plan: IacPlanRow): Promise<Outcome> {
  const stack = await findStack(db, plan.organizationId, plan.stackId)
  const outputs = stack ? outputsOf(seal, stack).open : {}
  return { status: 'SUCCESS', output: { plan_id: plan.id, outputs, summary: plan.summary } }
}
