import type { IacOrder, OrderedState } from '@sluice/contract/runner-protocol'
import type { Cloud } from '../../cloud/adapter/access.ts'
import { findExecutionEnvironment } from '../../cloud/execution-environments/store.ts'
import { openPlan, type SealedPlan } from '../../pipelines/iac-plans/sealed.ts'
import { findPlanOfStep } from '../../pipelines/iac-plans/store.ts'
import type { IacPlanRow } from '../../pipelines/iac-plans/tables.ts'
import { loadRunContext, renderStep } from '../../pipelines/pipeline-runs/context.ts'
import type { AttemptToOrder, MakeOrder, Ordered } from '../../pipelines/runner/order.ts'
import { NothingLeft, StepFailure } from '../../pipelines/runner/step-failure.ts'
import { readStoredVariables } from '../../pipelines/runner/stored-variables.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import type { Database, Db } from '../../platform/db/open.ts'
import { findReachedStorageLimit } from '../../platform/limits/stored.ts'
import type { LimitValues } from '../../platform/limits/table.ts'
import { present } from '../../platform/present.ts'
import { findLatestState } from '../../stacks/iac-states/store.ts'
import type { StateTokens } from '../../stacks/iac-states/token.ts'
import { statePath } from '../../stacks/iac-states/token.ts'
import { findStackWorkspace } from '../../stacks/stacks/workspaces.ts'
import { outputOf } from './output.ts'
import { applyInputsOf, type InputValues } from './plan-inputs.ts'
import { failInterruptedPlan, planStateOf, planToApply, planUsed } from './plan-state.ts'
import { type IacStepType, inputValuesOf, type PlanWith, type Setup, setupOf, validateStepInput } from './setup.ts'

export type IacOrderParts = {
  db: Db
  seal: Seal
  cloud: Cloud
  stateTokens: StateTokens
  /** Endpoint for all cloud calls, if not the cloud's own. */
  cloudEndpoint?: string | undefined
  mosts: LimitValues
  clock: () => Date
}

/**
 * Returns a function per IaC step type that makes its order for a runner. Each uses a database connection scoped to the
 * step's organization.
 */
export function iacOrders({
  ofOrganization,
  ...parts
}: Omit<IacOrderParts, 'db'> & Pick<Database, 'ofOrganization'>): Record<IacStepType, MakeOrder> {
  const own = ({ step }: AttemptToOrder): IacOrderParts => ({ ...parts, db: ofOrganization(step.organizationId) })
  return {
    'iac:plan': (attempt) => {
      const given = validateStepInput('iac:plan', attempt)
      const destroy = given.destroy === true || given.destroy === 'true'
      return planOrder(own(attempt), attempt, given, { run: 'PLAN', destroy })
    },
    'iac:drift': (attempt) =>
      planOrder(own(attempt), attempt, validateStepInput('iac:drift', attempt), { run: 'DRIFT', destroy: false }),
    'iac:apply': (attempt) => applyOrder(own(attempt), attempt),
    'iac:destroy': (attempt) => destroyOrder(own(attempt), attempt),
  }
}

async function planOrder(
  parts: IacOrderParts,
  attempt: AttemptToOrder,
  given: PlanWith,
  { run, destroy }: { run: 'PLAN' | 'DRIFT' | 'DESTROY'; destroy: boolean },
): Promise<Ordered> {
  const { organizationId, stackId } = attempt.step
  if (stackId === null) throw new StepFailure('iacStepInvalid', 'The step does not specify a stack.')
  if (run === 'PLAN' && !destroy && attempt.isNew) await expectRoom(parts, organizationId)
  const setup = await setupOf(parts.db, organizationId, stackId, given)
  const { variable_files: variableFiles = [], targets = [] } = given
  const { variables } = inputValuesOf(given)
  const wish = { variables, variableFiles, targets, destroy }
  return orderWith(parts, attempt, setup, { run, wish })
}

/**
 * Rejects new plans when storage is full. An existing plan can always be applied, because a state that records an apply
 * must never be rejected.
 */
async function expectRoom({ db, mosts }: IacOrderParts, organizationId: string): Promise<void> {
  const full = await findReachedStorageLimit(mosts, db, organizationId, ['storedStateBytes', 'storedPlanBytes'])
  if (!full) return
  const { message, remedy: description, limit, most } = full
  throw new StepFailure('storageFull', message, { description, metadata: { limit, most } })
}

async function applyOrder(parts: IacOrderParts, attempt: AttemptToOrder): Promise<Ordered> {
  validateStepInput('iac:apply', attempt)
  const plan = await planToApply(parts.db, attempt)
  const { file, lockFile, ...sealed } = await openToApply(parts, attempt, plan)
  const now = await inputsNow(parts, attempt, { plan, setup: sealed.setup })
  return orderToApply(parts, attempt, sealed, {
    run: 'APPLY',
    plan: { file: file.toString('base64'), lockFile },
    now,
  })
}

async function destroyOrder(parts: IacOrderParts, attempt: AttemptToOrder): Promise<Ordered> {
  const given = validateStepInput('iac:destroy', attempt)
  const plan = await findPlanOfStep(parts.db, attempt.step.organizationId, attempt.step.id)
  const stand = plan && planStateOf(plan, attempt.step)
  const wished = () => planOrder(parts, attempt, given, { run: 'DESTROY', destroy: true })
  if (!plan || stand === 'free' || stand === 'elsewhere') return wished()
  // The plan is made and taken, so the runner continues with the apply.
  const sealed = await openToApply(parts, attempt, plan)
  return orderToApply(parts, attempt, sealed, { run: 'DESTROY', now: { ...inputValuesOf(given), secrets: [] } })
}

/** Returns an order that applies a plan with its inputs and current ephemeral variables. */
async function orderToApply(
  parts: IacOrderParts,
  attempt: AttemptToOrder,
  { setup, secrets }: Pick<SealedPlan<Setup>, 'setup' | 'secrets'>,
  { now, ...what }: Pick<IacOrder, 'run' | 'plan'> & { now: InputsNow },
): Promise<Ordered> {
  const { inputs = noInputs, environment } = setup
  const { variables, ephemeral, variableFiles } = inputs
  const values = applyInputsOf({ values: { variables, environment }, ephemeral }, now)
  const applyInputs = { variables: values.variables, variableFiles }
  const ordered = await orderWith(
    parts,
    attempt,
    { ...setup, environment: values.environment },
    { ...what, applyInputs },
  )
  return { ...ordered, secrets: [...secrets, ...now.secrets, ...(ordered.secrets ?? [])] }
}

type InputsNow = InputValues & { secrets: string[] }

/** Inputs of a plan made by an earlier version. */
const noInputs: NonNullable<Setup['inputs']> = {
  variables: {},
  variableFiles: [],
  ephemeral: { variables: [], environment: [] },
}

/** Renders the ephemeral variables that the plan's step set, if any. */
async function inputsNow(
  { db, seal }: IacOrderParts,
  { run }: AttemptToOrder,
  { plan, setup: { inputs = noInputs } }: { plan: IacPlanRow; setup: Setup },
): Promise<InputsNow> {
  const { variables, environment } = inputs.ephemeral
  if (variables.length + environment.length === 0) return { variables: {}, environment: {}, secrets: [] }
  const context = await loadRunContext(db, seal, run)
  const stepId = context.steps.find(({ id }) => id === plan.stepExecutionId)?.stepId
  const step = context.config.steps.find(({ id }) => id === stepId)
  if (!step) throw new Error(`the step of the plan ${plan.id} is not in the configuration of its run`)
  const { value, secrets } = renderStep(context, step)
  return { ...inputValuesOf(validateStepInput('iac:plan', { with: value })), secrets }
}

/** Decrypts a plan if it still needs to be applied and this attempt may do so. */
async function openToApply(
  { db, seal, clock }: IacOrderParts,
  { step, isNew }: AttemptToOrder,
  plan: IacPlanRow,
): Promise<SealedPlan<Setup>> {
  const stand = planStateOf(plan, step)
  if (stand === 'applied') throw new NothingLeft(await outputOf(db, seal, plan))
  // The progress of the earlier attempt is unknown.
  if (stand === 'taken' && isNew) throw await failInterruptedPlan(db, plan, clock())
  if (stand === 'elsewhere' || plan.sealed === null) throw planUsed(plan)
  return openPlan<Setup>(seal, plan, plan.sealed)
}

async function orderWith(
  parts: IacOrderParts,
  attempt: AttemptToOrder,
  setup: Setup,
  what: Pick<IacOrder, 'run' | 'wish' | 'plan' | 'applyInputs'>,
): Promise<Ordered> {
  const { tool, toolVersion, source, cloudAccountId, region, workspaceId } = setup
  const kept = await readStoredVariables(parts, attempt.step.organizationId, setup)
  const env = { ...setup.environment, ...kept }
  const state = workspaceId === null ? undefined : await stateFor(parts, attempt, workspaceId)
  const hasSession = cloudAccountId !== undefined && !(await runsIn(parts.db, attempt, cloudAccountId))
  const { cloudEndpoint, mosts } = parts
  const order: IacOrder = {
    kind: 'iac',
    ...what,
    tool,
    toolVersion,
    source,
    env,
    region,
    hasSession,
    cloudEndpoint,
    mostPlanBytes: mosts.planBytes,
    reportsSensitiveVariables: what.wish !== undefined,
    state,
  }
  const secrets = [...(state ? [state.token] : []), ...Object.values(kept)]
  return { order, secrets, ...present({ kept: setup.kept }), cloudAccountId, workspaceId }
}

/** Reports whether the step runs as a task in this account, where it has credentials of its own. */
async function runsIn(db: Db, { step }: AttemptToOrder, cloudAccountId: string): Promise<boolean> {
  const { organizationId, executionEnvironmentId: id } = step
  const environment = id === null ? undefined : await findExecutionEnvironment(db, organizationId, id)
  return environment?.cloudAccountId === cloudAccountId
}

async function stateFor(
  { db, stateTokens, clock }: IacOrderParts,
  { step: { organizationId, id: stepExecutionId, attemptEpoch } }: AttemptToOrder,
  workspaceId: string,
): Promise<OrderedState> {
  const [latest, workspace] = await Promise.all([
    findLatestState(db, organizationId, workspaceId),
    findStackWorkspace(db, organizationId, workspaceId),
  ])
  return {
    ...(workspace && { workspace: workspace.name }),
    path: statePath(workspaceId),
    token: stateTokens.issue({ workspaceId, stepExecutionId, attemptEpoch }, clock()),
    before: latest ? { lineage: latest.lineage, serial: latest.serial } : null,
  }
}
