import { type Asked, demandsWith } from '../../delivery/approval-rules/asked.ts'
import { type Guarded, guarding, type Rule } from '../../delivery/approval-rules/machine.ts'
import type { Place } from '../../delivery/freezes/machine.ts'
import { placeOfStack, scopeOfInstance } from '../../modules/module-instances/places.ts'
import type { Db } from '../../platform/db/open.ts'
import { identitiesOfPlans } from '../iac-plans/store.ts'
import { findApprovals, type Target, targetsOf } from '../pipeline-runs/approval-targets.ts'
import { placeOf } from '../pipeline-runs/clear.ts'
import { scopesOfRuns } from '../pipeline-runs/reach.ts'
import { plannedFor, stepsOf } from '../pipeline-versions/config/steps.ts'
import type { PipelineStepExecutionRow } from '../pipelines/tables.ts'
import { stepApprovalsOf } from './store.ts'
import type { StepApprovalRow } from './tables.ts'

/** A step as rules see it, and which plans a decision about it is about. */
type Seen = { guarded: Guarded; plans: string }

/** What rules ask of a step, by who has approved it as it is. */
export type StepAsked = Asked & Seen & { approvals: readonly StepApprovalRow[] }

/**
 * What the rules of its organization ask of a step; undefined where none of them guards it. `askedAt`: of one that asks
 * now. Later it has the time that it was given then.
 */
export async function askedOfStep(
  tx: Db,
  step: PipelineStepExecutionRow,
  rules: readonly Rule[],
  askedAt?: Date,
): Promise<StepAsked | undefined> {
  if (!rules.some(({ guards }) => guards.includes('STEPS'))) return undefined
  const { organizationId } = step
  const { guarded, plans } = await seenOf(tx, step)
  if (guarding(rules, guarded).length === 0) return undefined
  const approvals = await stepApprovalsOf(tx, step, plans)
  const question = { organizationId, rules, guarded, approvals: async () => approvals, askedAt }
  return { ...(await demandsWith(tx, question)), guarded, plans, approvals }
}

/** Who has approved a step as it is, rules or not, oldest first. */
export async function approvalsAsItIs(tx: Db, step: PipelineStepExecutionRow): Promise<StepApprovalRow[]> {
  const { plans } = await seenOf(tx, step)
  return stepApprovalsOf(tx, step, plans)
}

async function seenOf(tx: Db, step: PipelineStepExecutionRow): Promise<Seen> {
  const { organizationId, id } = step
  const [found] = await findApprovals(tx, organizationId, [id])
  if (!found) throw new Error(`the step execution ${id} is gone`)
  const { run, version } = found
  const targets = await Promise.all((await targetsOf(tx, found)).map((target) => placeOfTarget(tx, step, target)))
  // What a template names is known of the step itself by now.
  const own = step.stackId === null ? [] : [await placeOf(tx, run, step)]
  const known = [...targets.filter((place) => place !== undefined), ...own]
  const { moduleInstanceId, triggeredBy, actsFor } = run
  const ofRun = async () =>
    (await scopesOfRuns(tx, organizationId, [run.id])).map((at) => ({ ...at, moduleInstanceId }))
  const planned = await identitiesOfPlans(tx, step, plannedFor(stepsOf(version.config), step.stepId))
  return {
    guarded: {
      what: 'STEPS',
      places: known.length > 0 ? known : await ofRun(),
      isRollback: false,
      starter: { id: actsFor, name: triggeredBy },
    },
    plans: planned.join(' '),
  }
}

async function placeOfTarget(
  tx: Db,
  { organizationId }: PipelineStepExecutionRow,
  target: Target,
): Promise<Place | undefined> {
  if ('stackId' in target) return placeOfStack(tx, organizationId, target.stackId)
  const { moduleInstanceId } = target
  const scope = await scopeOfInstance(tx, organizationId, moduleInstanceId)
  return scope && { ...scope, moduleInstanceId }
}
