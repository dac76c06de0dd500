import { readFile } from 'node:fs/promises'
import { sealPlan } from '../../pipelines/iac-plans/sealed.ts'
import { savePlan } from '../../pipelines/iac-plans/store.ts'
import type { IacPlanRow } from '../../pipelines/iac-plans/tables.ts'
import type { Attempt, Outcome } from '../../pipelines/runner/work.ts'
import { findLatestState } from '../../stacks/iac-states/store.ts'
import { ensureStackWorkspace } from '../../stacks/stacks/workspaces.ts'
import { type ReadPlan, readPlan } from '../adapter/plan.ts'
import { hasSucceeded, lockFileIn, plan as planChanges, planFile, showPlan } from '../adapter/run.ts'
import { hiding } from '../adapter/sensitive.ts'
import { markDrift, recordResources } from '../iac-resources/record.ts'
import { StepFailure, toolFailure } from './failure.ts'
import type { IacParts } from './parts.ts'
import { type Prepared, prepare } from './prepare.ts'
import { createProgress, type ProgressShown } from './progress.ts'
import { digestOf, environmentGiven, givenTo, type PlanWith, type Setup, sourceOf, variablesOf } from './setup.ts'

export type PlanKind = IacPlanRow['kind']
export type Planned = { row: IacPlanRow; read: ReadPlan; prepared: Prepared }

/** Plans the changes of a stack, and keeps the plan. */
export async function planStep(parts: IacParts, attempt: Attempt): Promise<Outcome> {
  const given = givenTo('iac:plan', attempt)
  const isDestroy = given.destroy === true || given.destroy === 'true'
  const { row, read } = await makePlan(parts, attempt, given, isDestroy ? 'DESTROY' : 'PLAN')
  return { status: 'SUCCESS', output: { plan_id: row.id, has_changes: row.hasChanges, summary: summaryOf(read) } }
}

/** Looks for what was changed behind the back of a stack. */
export async function driftStep(parts: IacParts, attempt: Attempt): Promise<Outcome> {
  const { row, read } = await makePlan(parts, attempt, givenTo('iac:drift', attempt), 'DRIFT')
  const drifted = read.resources.filter(({ driftStatus }) => driftStatus === 'DRIFTED').map(({ address }) => address)
  return {
    status: 'SUCCESS',
    output: { plan_id: row.id, has_drifted: drifted.length > 0, drifted, summary: summaryOf(read) },
  }
}

export async function makePlan(
  parts: IacParts,
  attempt: Attempt,
  given: PlanWith,
  kind: PlanKind,
  progress: ProgressShown = createProgress(attempt),
): Promise<Planned> {
  const { db } = parts
  const { organizationId } = attempt.step
  const { stackId } = attempt.step
  if (stackId === null) throw new StepFailure('iacStepInvalid', 'The step names no stack.')
  const setup = await setupOf(parts, organizationId, stackId, given)
  const prepared = await prepare(parts, attempt, setup, progress)
  const latest = setup.workspaceId === null ? undefined : await findLatestState(db, organizationId, setup.workspaceId)
  progress.enter('plan')
  const wish = {
    kind,
    variables: variablesOf(given),
    variableFiles: given.variable_files ?? [],
    targets: given.targets ?? [],
  }
  const ran = await planChanges(prepared.place, wish)
  if (!hasSucceeded(ran)) throw planFailure(ran.events)
  const file = await showPlan(prepared.place)
  if (!file) throw new StepFailure('iacPlanFailed', 'The plan could not be read. The log says why.')
  const read = readPlan(file, { isDrift: kind === 'DRIFT' })
  for (const secret of read.secrets) attempt.mask(secret)
  progress.enter('plan', { total: read.resources.length, changes: read.counts })
  await progress.flush()
  const row = await store(parts, attempt, { stackId, kind, setup, wish, prepared, read, latest })
  return { row, read, prepared }
}

async function setupOf({ db }: IacParts, organizationId: string, stackId: string, given: PlanWith): Promise<Setup> {
  const name = given.workspace === undefined ? 'default' : given.workspace
  return {
    source: await sourceOf(db, organizationId, given.source),
    tool: given.tool ?? 'iac',
    toolVersion: given.tool_version ?? undefined,
    workspaceId: name === null ? null : (await ensureStackWorkspace(db, organizationId, { stackId, name })).id,
    environment: environmentGiven(given),
    cloudAccountId: given.cloud_account_id ?? undefined,
    region: given.cloud_region ?? undefined,
  }
}

function planFailure(events: Parameters<typeof toolFailure>[2]): StepFailure {
  const isLocked = events.some((event) => event.kind === 'error' && /acquiring the state lock/i.test(event.summary))
  return isLocked
    ? toolFailure('iacStateLocked', 'The state is locked.', events)
    : toolFailure('iacPlanFailed', 'The changes could not be planned.', events)
}

type ToStore = {
  stackId: string
  kind: PlanKind
  setup: Setup
  wish: object
  prepared: Prepared
  read: ReadPlan
  latest: { lineage: string; serial: number } | undefined
}

async function store({ db, seal }: IacParts, attempt: Attempt, made: ToStore): Promise<IacPlanRow> {
  const { stackId, kind, read, latest } = made
  const { checkedOut, tool, place } = made.prepared
  const { organizationId, id: stepExecutionId, pipelineRunId } = attempt.step
  const { commit } = checkedOut
  // From here on it is this commit and this version, whatever the branch and the runner come to have.
  const source = 'url' in made.setup.source ? { ...made.setup.source, commit } : made.setup.source
  const setup = { ...made.setup, source, toolVersion: tool.version }
  const lockFile = await lockFileIn(place.directory)
  const file = await readFile(planFile(place.directory))
  const sealed = kind === 'DRIFT' ? null : await sealPlan(seal, { file, lockFile, setup, secrets: read.secrets })
  const { workspaceId, cloudAccountId, region, environment } = setup
  const plan = {
    organizationId,
    stackId,
    workspaceId,
    pipelineRunId,
    stepExecutionId,
    kind,
    status: 'PLANNED',
    hasChanges: read.hasChanges,
    summary: summaryOf(read),
    tool: tool.name === 'tofu' ? 'iac' : 'iac_alt',
    toolVersion: tool.version,
    source: 'files' in source ? { files: Object.keys(source.files), basePath: source.basePath } : source,
    lineage: latest?.lineage ?? null,
    serial: latest?.serial ?? null,
    configDigest: checkedOut.digest,
    inputsDigest: digestOf({ wish: made.wish, environment, cloudAccountId, region }),
    sealed,
  } as const
  const hide = hiding(read.secrets)
  const found = read.resources.map(({ before, after, isInState, isTainted, ...resource }) => ({
    ...resource,
    isInCurrentState: isInState,
    tainted: isTainted,
    runType: kind,
    vendorData: { before: hide(before), after: hide(after) },
  }))
  const addressesOf = (status: 'IN_SYNC' | 'DRIFTED') =>
    read.resources.filter(({ driftStatus }) => driftStatus === status).map(({ address }) => address)
  return db.transaction(async (tx) => {
    const row = await savePlan(tx, plan)
    const { pipelineId } = attempt.run
    await recordResources(tx, { organizationId, pipelineId, pipelineRunId, stepExecutionId, stackId }, found)
    if (kind === 'DRIFT') {
      const workspace = { organizationId, stackId, workspaceId }
      await markDrift(tx, workspace, 'IN_SYNC', addressesOf('IN_SYNC'))
      await markDrift(tx, workspace, 'DRIFTED', addressesOf('DRIFTED'))
    }
    return row
  })
}

export const summaryOf = ({ counts, driftedCount }: Pick<ReadPlan, 'counts' | 'driftedCount'>) => ({
  changeCounts: counts,
  driftedCount,
})
