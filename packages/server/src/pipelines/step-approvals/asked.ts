import type { PolicyVerdict } from '@sluice/contract'
import { type Asked, demandsWith } from '../../gates/approval-rules/asked.ts'
import { type Guarded, guarding, type Rule } from '../../gates/approval-rules/machine.ts'
import { rulesOfPolicies } from '../../gates/policies/asks.ts'
import { judgeUnseen } from '../../gates/policies/judge.ts'
import { asking, letPast } from '../../gates/policies/machine.ts'
import { overridesInForce } from '../../gates/policies/store.ts'
import type { Scope } from '../../gates/scope.ts'
import { placeOfStack, scopeOfInstance } from '../../modules/module-instances/places.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PlanMade, plansMade } from '../iac-plans/store.ts'
import { findApprovals, type Target, targetsOf } from '../pipeline-runs/gates/approval-targets.ts'
import { placeOf } from '../pipeline-runs/gates/freeze-clearance.ts'
import { changesInfrastructure } from '../pipeline-runs/gates/freezes.ts'
import { scopesOfRuns } from '../pipeline-runs/reach.ts'
import type { StepConfig } from '../pipeline-versions/config/schema.ts'
import { asksByItself, plannedFor, stepsOf } from '../pipeline-versions/config/steps.ts'
import type { PipelineStepExecutionRow } from '../pipelines/tables.ts'
import { stepApprovalsOf } from './store.ts'
import type { StepApprovalRow } from './tables.ts'

/** A step as rules see it, and which plans a decision about it is about. */
type Seen = {
  guarded: Guarded
  plans: string
  planned: readonly PlanMade[]
  /** Where it changes infrastructure itself. */
  place: Scope | undefined
}

/** What rules ask of a step, by who has approved it as it is. */
export type StepAsked = Asked & Pick<Seen, 'guarded' | 'plans'> & { approvals: readonly StepApprovalRow[] }

/**
 * What the rules of its organization ask of a step, and policies of the plan that it applies; undefined where nothing
 * guards it, or where it was deleted since it was read. `askedAt`: of one that asks now. Later it has the time that it
 * was given then.
 */
export async function askedOfStep(
  tx: Db,
  step: PipelineStepExecutionRow,
  ofOrganization: readonly Rule[],
  { now, askedAt }: { now: Date; askedAt?: Date },
): Promise<StepAsked | undefined> {
  const isForSteps = ofOrganization.some(({ guards }) => guards.some((what) => what !== 'DEPLOYMENTS'))
  if (!isForSteps && !changesInfrastructure(step.stepType)) return undefined
  const { organizationId } = step
  const seen = await findSeen(tx, step)
  if (!seen) return undefined
  const { guarded, plans } = seen
  const rules = [...ofOrganization, ...rulesOfPolicies(await verdictsOn(tx, step, seen, now), applying)]
  if (guarding(rules, guarded).length === 0) return undefined
  const approvals = await stepApprovalsOf(tx, step, plans)
  const question = { organizationId, rules, guarded, approvals: async () => approvals, askedAt }
  return { ...(await demandsWith(tx, question)), guarded, plans, approvals }
}

/** What policies on plans guard: a step that applies one, whatever that changes. */
const applying = ['APPLIES', 'DESTROYS'] as const satisfies Rule['guards']

/**
 * What policies say of the plan that a step applies: what they said when it was made, and who let it past since then.
 * What makes its plan as it goes can only be asked about before.
 */
async function verdictsOn(
  tx: Db,
  { organizationId, stepType }: PipelineStepExecutionRow,
  { planned, place = {} }: Seen,
  now: Date,
): Promise<PolicyVerdict[]> {
  if (stepType === 'iac:apply') {
    const verdicts = asking(planned.flatMap(({ policies }) => policies ?? []))
    const overrides = verdicts.length > 0 ? await overridesInForce(tx, organizationId, now) : []
    return verdicts.map((verdict) => letPast(verdict, overrides, { place, now }))
  }
  if (stepType !== 'iac:destroy') return []
  const trouble = 'the plan is made only when everything is destroyed'
  return judgeUnseen(tx, { organizationId, guards: 'PLANS', place, isRollback: false, now }, trouble)
}

/** Those of the policies that a plan was judged by which ask for approvals that the step has not. */
export async function unapproved(
  tx: Db,
  step: PipelineStepExecutionRow,
  verdicts: readonly PolicyVerdict[],
): Promise<PolicyVerdict[]> {
  const rules = rulesOfPolicies(verdicts, applying)
  if (rules.length === 0) return []
  const { organizationId } = step
  const { guarded, plans } = await seenOf(tx, step)
  const approvals = () => stepApprovalsOf(tx, step, plans)
  const { demands } = await demandsWith(tx, { organizationId, rules, guarded, approvals, askedAt: undefined })
  const open = new Set(demands.filter(({ isMet }) => !isMet).map(({ rule }) => rule.id))
  return verdicts.filter(({ policyId }) => open.has(policyId))
}

/** Who has approved a step as it is, rules or not, oldest first. */
export async function approvalsAsItIs(tx: Db, step: PipelineStepExecutionRow): Promise<StepApprovalRow[]> {
  const { plans } = await seenOf(tx, step)
  return stepApprovalsOf(tx, step, plans)
}

/** The same of a step whose row is held. */
async function seenOf(tx: Db, step: PipelineStepExecutionRow): Promise<Seen> {
  const seen = await findSeen(tx, step)
  if (!seen) throw new Error(`the step execution ${step.id} is gone`)
  return seen
}

async function findSeen(tx: Db, step: PipelineStepExecutionRow): Promise<Seen | undefined> {
  const { organizationId, id } = step
  const [found] = await findApprovals(tx, organizationId, [id])
  if (!found) return undefined
  const { run, version } = found
  const targets: Awaited<ReturnType<typeof placeOfTarget>>[] = []
  for (const target of await targetsOf(tx, found)) targets.push(await placeOfTarget(tx, step, target))
  // What a template names is known of the step itself by now.
  const place = step.stackId === null ? undefined : await placeOf(tx, run, step)
  const known = [...targets, place].filter((one) => one !== undefined)
  const { moduleInstanceId, triggeredBy, actsFor } = run
  const ofRun = async () =>
    (await scopesOfRuns(tx, organizationId, [run.id])).map((at) => ({ ...at, moduleInstanceId }))
  const steps = stepsOf(version.config)
  const planned = await plansMade(tx, step, plannedFor(steps, step.stepId))
  const isDestruction = planned.some(({ kind }) => kind === 'DESTROY')
  return {
    guarded: {
      what: kindsOf(step, steps, isDestruction),
      places: known.length > 0 ? known : await ofRun(),
      isRollback: false,
      starter: { id: actsFor, name: triggeredBy },
      authors: run.trigger?.authors ?? [],
    },
    plans: planned.map(({ identity }) => identity).join(' '),
    planned,
    place,
  }
}

/** What kinds of change rules take a step for. */
function kindsOf(
  { stepId, stepType }: PipelineStepExecutionRow,
  steps: readonly StepConfig[],
  isDestruction: boolean,
): Guarded['what'] {
  const config = steps.find(({ id }) => id === stepId)
  const isSilent = config !== undefined && !asksByItself(config)
  return [
    ...(isSilent ? [] : (['STEPS'] as const)),
    ...(stepType === 'iac:destroy' || (stepType === 'iac:apply' && isDestruction) ? (['DESTROYS'] as const) : []),
    ...(stepType === 'iac:apply' && !isDestruction ? (['APPLIES'] as const) : []),
  ]
}

async function placeOfTarget(
  tx: Db,
  { organizationId }: PipelineStepExecutionRow,
  target: Target,
): Promise<Scope | undefined> {
  if ('stackId' in target) return placeOfStack(tx, organizationId, target.stackId)
  const { moduleInstanceId } = target
  const scope = await scopeOfInstance(tx, organizationId, moduleInstanceId)
  return scope && { ...scope, moduleInstanceId }
}
