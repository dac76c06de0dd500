import type { PolicyVerdict } from '@sluice/contract'
import {
  type ApprovalQuestion,
  type Approvals,
  asking,
  type Guarded,
  hasRulesFor,
  loadApprovals,
  type Rule,
  rulesOfPolicies,
  verdictsOnUnknownPlan,
  withOverrides,
} from '../../gates/approvals.ts'
import type { Evaluation } from '../../gates/evaluate.ts'
import type { Rules } from '../../gates/gate.ts'
import { evaluateGates, gateRules } from '../../gates/load.ts'
import type { Scope } from '../../gates/scope.ts'
import { placeOfStack, scopeOfInstance } from '../../modules/module-instances/places.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PlanMade, plansMade } from '../iac-plans/store.ts'
import { findApprovals, type GuardedResource, scopeOfStep, targetsOf } from '../pipeline-runs/gates/approval-targets.ts'
import { changesInfrastructure } from '../pipeline-runs/gates/freezes.ts'
import { scopesOfRuns } from '../pipeline-runs/permissions.ts'
import type { StepConfig } from '../pipeline-versions/config/schema.ts'
import { coveredPlans, requiresApproval, stepsOf } from '../pipeline-versions/config/steps.ts'
import type { PipelineStepExecutionRow } from '../pipelines/tables.ts'
import { stepApprovalsOf } from './store.ts'
import type { StepApprovalRow } from './tables.ts'

/** Step in the form in which approval rules evaluate it, and the plans that an approval covers. */
type StepSubject = {
  guarded: Guarded
  plans: string
  planned: readonly PlanMade[]
  /** Scope in which the step itself changes infrastructure. */
  place: Scope | undefined
}

/** Required approvals of a step, and those given for its current plans. */
export type StepApprovals = Approvals & Pick<StepSubject, 'plans'> & { approvals: readonly StepApprovalRow[] }

/** Time of an evaluation. `askedAt` is the time of the first approval request; later, the step has it. */
type At = { now: Date; askedAt?: Date }

/** Decides whether a step whose turn has come may proceed, or which approvals it requires. */
export async function evaluateStep(rules: Rules, step: PipelineStepExecutionRow, at: At): Promise<Evaluation> {
  const found = await stepQuestionOf(rules, step, at)
  const question = { moment: 'STEP', scope: {}, ...(found && { approval: found.question }) } as const
  return evaluateGates(rules, question, at.now)
}

/**
 * Returns the approvals of a step that the organization's rules require, and policies on its plan; undefined if there
 * are none, or if the step was deleted meanwhile.
 */
export async function requiredApprovalsOfStep(
  tx: Db,
  step: PipelineStepExecutionRow,
  at: At,
): Promise<StepApprovals | undefined> {
  const rules = gateRules(tx, step.organizationId)
  const found = await stepQuestionOf(rules, step, at)
  const asked = found && (await loadApprovals(rules, found.question))
  if (!asked || asked.demands.length === 0) return undefined
  return { ...asked, plans: found.plans, approvals: await stepApprovalsOf(tx, step, found.plans) }
}

/** Returns a step in the form in which approval rules and policies on its plan evaluate it. */
async function stepQuestionOf(
  rules: Rules,
  step: PipelineStepExecutionRow,
  { now, askedAt }: At,
): Promise<{ question: ApprovalQuestion; plans: string } | undefined> {
  const { tx } = rules
  if (!changesInfrastructure(step.stepType) && !(await hasRulesFor(rules, stepGuards))) return undefined
  const seen = await findSubject(tx, step)
  if (!seen) return undefined
  const { guarded, plans } = seen
  const ofPolicies = rulesOfPolicies(await verdictsOn(tx, step, seen, now), applying)
  return { question: { guarded, ofPolicies, given: () => stepApprovalsOf(tx, step, plans), askedAt }, plans }
}

/** Changes that policies on plans guard: applying a plan, whatever it changes. */
const applying = ['APPLIES', 'DESTROYS'] as const satisfies Rule['guards']
const stepGuards = [...applying, 'STEPS'] as const satisfies Rule['guards']

/**
 * Returns the policy decisions about the plan that a step applies: from its creation, with later overrides. For a step
 * that creates its plan as it runs, policies can only be evaluated without the plan.
 */
async function verdictsOn(
  tx: Db,
  { organizationId, stepType }: PipelineStepExecutionRow,
  { planned, place: scope = {} }: StepSubject,
  now: Date,
): Promise<PolicyVerdict[]> {
  if (stepType === 'iac:apply') {
    const verdicts = asking(planned.flatMap(({ policies }) => policies ?? []))
    return withOverrides(tx, organizationId, verdicts, { scope, now })
  }
  return stepType === 'iac:destroy' ? verdictsOnUnknownPlan(tx, organizationId, { scope, now }) : []
}

/** Returns the approvals that policies require because of their decisions about the plan that a step acquires. */
export async function approvalsOfPlan(
  tx: Db,
  step: PipelineStepExecutionRow,
  verdicts: readonly PolicyVerdict[],
): Promise<Approvals> {
  const { guarded, plans } = await loadSubject(tx, step)
  return loadApprovals(gateRules(tx, step.organizationId), {
    guarded,
    ofPolicies: rulesOfPolicies(verdicts, applying),
    isOnlyPolicies: true,
    given: () => stepApprovalsOf(tx, step, plans),
    askedAt: undefined,
  })
}

/** Returns the approvals of a step for its current plans, oldest first. */
export async function currentApprovals(tx: Db, step: PipelineStepExecutionRow): Promise<StepApprovalRow[]> {
  const { plans } = await loadSubject(tx, step)
  return stepApprovalsOf(tx, step, plans)
}

/** Returns the form for approval rules of a step whose row is locked. */
async function loadSubject(tx: Db, step: PipelineStepExecutionRow): Promise<StepSubject> {
  const seen = await findSubject(tx, step)
  if (!seen) throw new Error(`the step execution ${step.id} is gone`)
  return seen
}

async function findSubject(tx: Db, step: PipelineStepExecutionRow): Promise<StepSubject | undefined> {
  const { organizationId, id } = step
  const [found] = await findApprovals(tx, organizationId, [id])
  if (!found) return undefined
  const { run, version } = found
  const targets: Awaited<ReturnType<typeof placeOfTarget>>[] = []
  for (const target of await targetsOf(tx, found)) targets.push(await placeOfTarget(tx, step, target))
  // By now, the step itself has the stack that a template named.
  const place = step.stackId === null ? undefined : await scopeOfStep(tx, run, step)
  const known = [...targets, place].filter((one) => one !== undefined)
  const { moduleInstanceId, triggeredBy, actsFor } = run
  const ofRun = async () =>
    (await scopesOfRuns(tx, organizationId, [run.id])).map((at) => ({ ...at, moduleInstanceId }))
  const steps = stepsOf(version.config)
  const planned = await plansMade(tx, step, coveredPlans(steps, step.stepId))
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

/** Returns the types of change that a step makes, for approval rules. */
function kindsOf(
  { stepId, stepType }: PipelineStepExecutionRow,
  steps: readonly StepConfig[],
  isDestruction: boolean,
): Guarded['what'] {
  const config = steps.find(({ id }) => id === stepId)
  const isSilent = config !== undefined && !requiresApproval(config)
  return [
    ...(isSilent ? [] : (['STEPS'] as const)),
    ...(stepType === 'iac:destroy' || (stepType === 'iac:apply' && isDestruction) ? (['DESTROYS'] as const) : []),
    ...(stepType === 'iac:apply' && !isDestruction ? (['APPLIES'] as const) : []),
  ]
}

async function placeOfTarget(
  tx: Db,
  { organizationId }: PipelineStepExecutionRow,
  target: GuardedResource,
): Promise<Scope | undefined> {
  if ('stackId' in target) return placeOfStack(tx, organizationId, target.stackId)
  const { moduleInstanceId } = target
  const scope = await scopeOfInstance(tx, organizationId, moduleInstanceId)
  return scope && { ...scope, moduleInstanceId }
}
