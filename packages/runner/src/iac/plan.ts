import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type {
  IacOrder,
  Outcome,
  PlanReportResponse,
  ReportedWarning,
  StateMark,
} from '@sluice/contract/runner-protocol'
import type { Attempt } from '../attempt.ts'
import { StepFailure } from '../failure.ts'
import { createSuccess } from '../success.ts'
import { createBackendWarning } from './declared-backend.ts'
import { createToolFailure } from './failure.ts'
import type { ToolEvent } from './messages.ts'
import type { IacParts } from './parts.ts'
import { type Prepared, prepareIacStep } from './prepare.ts'
import { createProgressReporter, type ProgressReporter } from './progress.ts'
import { hasSucceeded, type PlanMode, plan as planChanges, readLockFile, readPlan, showPlan } from './tool-commands.ts'
import { maxWarnings } from './warnings.ts'
import { findWorkspaceWarning } from './workspace-name.ts'

/** Plans the changes of a stack or detects drift, and reports the plan. */
export async function runPlan(parts: IacParts, attempt: Attempt, order: IacOrder): Promise<Outcome> {
  const { read } = await createPlan(parts, attempt, order, createProgressReporter(attempt))
  return createSuccess(read.output, read.omittedValues)
}

export async function createPlan(
  parts: IacParts,
  attempt: Attempt,
  order: IacOrder,
  progress: ProgressReporter,
): Promise<{ prepared: Prepared; read: PlanReportResponse }> {
  const { wish } = order
  if (!wish) throw new Error('the order to plan has no inputs')
  const prepared = await prepareIacStep(parts, attempt, order, progress)
  const before = await loadPriorState(attempt, order)
  progress.enter('plan')
  const warning = await findWorkspaceWarning(prepared.context, order.state?.workspace)
  if (warning !== undefined) attempt.log(warning)
  const ran = await planChanges(prepared.context, selectMode(order, wish), wish)
  if (!hasSucceeded(ran)) throw createPlanFailure(ran.events)
  const shown = await showPlan(prepared.context)
  const file = await readPlan(prepared.context)
  if (!shown || !file) throw new StepFailure('iacPlanFailed', 'Cannot read the plan. See the log for the reason.')
  const read = await reportPlan(attempt, prepared, {
    before,
    shown,
    file,
    warnings: [...createStartWarnings(prepared, before), ...ran.warnings.map(stripFolder(attempt))].slice(
      0,
      maxWarnings,
    ),
  })
  for (const secret of read.secrets) attempt.mask(secret)
  progress.enter('plan', { total: read.total, changes: read.changes })
  await progress.flush()
  return { prepared, read }
}

/** Warns if a workspace without a state may have its state in a declared backend. */
const createStartWarnings = ({ replacedBackend }: Prepared, before: StateMark | null): ReportedWarning[] =>
  replacedBackend && before === null ? [createBackendWarning(replacedBackend)] : []

function selectMode({ run }: IacOrder, { destroy }: NonNullable<IacOrder['wish']>): PlanMode {
  if (run === 'DRIFT') return 'DRIFT'
  return destroy ? 'DESTROY' : 'PLAN'
}

/** Removes the runner's path of the variables file from a warning. */
const stripFolder =
  ({ folders }: Attempt) =>
  (warning: ReportedWarning): ReportedWarning => ({
    ...warning,
    ...(warning.detail !== undefined && { detail: warning.detail.replaceAll(`${folders.inputs}/`, '') }),
  })

/** The result of planning. */
type PlanResult = { before: StateMark | null; shown: string; file: Buffer; warnings: ReportedWarning[] }

async function reportPlan(
  attempt: Attempt,
  { context, checkout, tool }: Prepared,
  { before, shown, file, warnings }: PlanResult,
): Promise<PlanReportResponse> {
  const { commit, digest: configDigest } = checkout
  const lockFile = await readLockFile(context)
  const report = {
    tool: tool.name,
    toolVersion: tool.version,
    ...(commit !== undefined && { commit }),
    configDigest,
    before,
    ...(lockFile !== undefined && { lockFile }),
    ...(warnings.length > 0 && { warnings }),
    file: file.toString('base64'),
  }
  return attempt.api.reportPlan(report, shown.trim())
}

/**
 * Returns the state before the plan. Remembers it, because a restart during the plan resends the order with a newer
 * one.
 */
async function loadPriorState({ folders }: Attempt, { state }: IacOrder): Promise<StateMark | null> {
  const note = join(folders.checkpoints, 'state-before.json')
  const known = await readFile(note, 'utf8').catch(() => undefined)
  if (known !== undefined) return JSON.parse(known)
  const before = state?.before ?? null
  await writeFile(note, JSON.stringify(before))
  return before
}

function createPlanFailure(events: readonly ToolEvent[]): StepFailure {
  const isLocked = events.some(
    (event) => event.kind === 'error' && /acquiring the state lock/i.test(event.diagnostic.summary),
  )
  return isLocked
    ? createToolFailure('iacStateLocked', 'The state is locked.', events)
    : createToolFailure('iacPlanFailed', 'The changes could not be planned.', events)
}
