import type { IacOrder, OrderedState } from '@sluice/contract/runner-protocol'
import type { Cloud } from '../../cloud/adapter/access.ts'
import { findExecutionEnvironment } from '../../cloud/execution-environments/store.ts'
import { openPlan } from '../../pipelines/iac-plans/sealed.ts'
import { findPlanOfStep } from '../../pipelines/iac-plans/store.ts'
import type { IacPlanRow } from '../../pipelines/iac-plans/tables.ts'
import { keptVariables } from '../../pipelines/runner/kept-variables.ts'
import type { AttemptToOrder, MakeOrder, Ordered } from '../../pipelines/runner/order.ts'
import { NothingLeft, StepFailure } from '../../pipelines/runner/step-failure.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import type { Database, Db } from '../../platform/db/open.ts'
import { fullStore } from '../../platform/limits/stored.ts'
import type { Mosts } from '../../platform/limits/table.ts'
import { findLatestState } from '../../stacks/iac-states/store.ts'
import type { StateTokens } from '../../stacks/iac-states/token.ts'
import { statePath } from '../../stacks/iac-states/token.ts'
import { findStackWorkspace } from '../../stacks/stacks/workspaces.ts'
import { outputOf } from './output.ts'
import { givenTo, type IacStepType, type PlanWith, type Setup, setupOf, variablesOf } from './setup.ts'
import { interrupted, planToApply, planUsed, standOf } from './stand.ts'

export type IacOrderParts = {
  db: Db
  seal: Seal
  cloud: Cloud
  stateTokens: StateTokens
  /** Where all calls to the cloud are sent, if not to the cloud. */
  cloudEndpoint?: string | undefined
  mosts: Mosts
  clock: () => Date
}

/** What is to be done for the steps of the iac tool, each as the organization of the step sees the database. */
export function iacOrders({
  ofOrganization,
  ...parts
}: Omit<IacOrderParts, 'db'> & Pick<Database, 'ofOrganization'>): Record<IacStepType, MakeOrder> {
  const own = ({ step }: AttemptToOrder): IacOrderParts => ({ ...parts, db: ofOrganization(step.organizationId) })
  return {
    'iac:plan': (attempt) => {
      const given = givenTo('iac:plan', attempt)
      const destroy = given.destroy === true || given.destroy === 'true'
      return planOrder(own(attempt), attempt, given, { run: 'PLAN', destroy })
    },
    'iac:drift': (attempt) =>
      planOrder(own(attempt), attempt, givenTo('iac:drift', attempt), { run: 'DRIFT', destroy: false }),
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
  if (stackId === null) throw new StepFailure('iacStepInvalid', 'The step names no stack.')
  if (run === 'PLAN' && !destroy && attempt.isNew) await expectRoom(parts, organizationId)
  const setup = await setupOf(parts.db, organizationId, stackId, given)
  const { variable_files: variableFiles = [], targets = [] } = given
  const wish = { variables: variablesOf(given), variableFiles, targets, destroy }
  return orderWith(parts, attempt, setup, { run, wish })
}

/**
 * What was planned is applied, however much is stored by then: a state must never be turned away that says what an
 * apply has made. So it is the next plan that is refused, and none that makes room.
 */
async function expectRoom({ db, mosts }: IacOrderParts, organizationId: string): Promise<void> {
  const full = await fullStore(mosts, db, organizationId, ['storedStateBytes', 'storedPlanBytes'])
  if (!full) return
  const { message, remedy: description, limit, most } = full
  throw new StepFailure('storageFull', message, { description, metadata: { limit, most } })
}

async function applyOrder(parts: IacOrderParts, attempt: AttemptToOrder): Promise<Ordered> {
  givenTo('iac:apply', attempt)
  const plan = await planToApply(parts.db, attempt)
  const { sealed } = await expectToApply(parts, attempt, plan)
  const { file, lockFile, setup, secrets } = await openPlan<Setup>(parts.seal, plan, sealed)
  const ordered = await orderWith(parts, attempt, setup, {
    run: 'APPLY',
    plan: { file: file.toString('base64'), lockFile },
  })
  return { ...ordered, secrets: [...secrets, ...(ordered.secrets ?? [])] }
}

async function destroyOrder(parts: IacOrderParts, attempt: AttemptToOrder): Promise<Ordered> {
  const given = givenTo('iac:destroy', attempt)
  const plan = await findPlanOfStep(parts.db, attempt.step.organizationId, attempt.step.id)
  const stand = plan && standOf(plan, attempt.step)
  const wished = () => planOrder(parts, attempt, given, { run: 'DESTROY', destroy: true })
  if (!plan || stand === 'free' || stand === 'elsewhere') return wished()
  // The plan is made and taken: its runner goes on from there.
  const { sealed } = await expectToApply(parts, attempt, plan)
  const { setup, secrets } = await openPlan<Setup>(parts.seal, plan, sealed)
  const ordered = await orderWith(parts, attempt, setup, { run: 'DESTROY' })
  return { ...ordered, secrets: [...secrets, ...(ordered.secrets ?? [])] }
}

/** Whether there is something left to apply, and this attempt may. */
async function expectToApply(
  { db, seal, clock }: IacOrderParts,
  { step, isNew }: AttemptToOrder,
  plan: IacPlanRow,
): Promise<{ sealed: string }> {
  const stand = standOf(plan, step)
  if (stand === 'applied') throw new NothingLeft(await outputOf(db, seal, plan))
  // Nobody knows how far the attempt before this one came.
  if (stand === 'taken' && isNew) throw await interrupted(db, plan, clock())
  if (stand === 'elsewhere' || plan.sealed === null) throw planUsed(plan)
  return { sealed: plan.sealed }
}

async function orderWith(
  parts: IacOrderParts,
  attempt: AttemptToOrder,
  setup: Setup,
  what: Pick<IacOrder, 'run' | 'wish' | 'plan'>,
): Promise<Ordered> {
  const { tool, toolVersion, source, cloudAccountId, region, workspaceId } = setup
  const kept = await keptVariables(parts, attempt.step.organizationId, setup)
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
    state,
  }
  return { order, secrets: [...(state ? [state.token] : []), ...Object.values(kept)], cloudAccountId, workspaceId }
}

/** Whether the step is carried out by a task in the account, which has an identity of its own there. */
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
