import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { IacOrder, Outcome, PlanRead, ReportedWarning, StateMark } from '@sluice/contract/runner-protocol'
import type { Attempt } from '../attempt.ts'
import { StepFailure } from '../failure.ts'
import { successWith } from '../success.ts'
import { warnOfDeclaredBackend } from './declared-backend.ts'
import { toolFailure } from './failure.ts'
import type { ToolEvent } from './messages.ts'
import type { IacParts } from './parts.ts'
import { type Prepared, prepare } from './prepare.ts'
import { createProgress, type ProgressShown } from './progress.ts'
import { hasSucceeded, lockFileIn, madePlanOf, type PlanMode, plan as planChanges, showPlan } from './run.ts'
import { maxWarnings } from './warnings.ts'
import { warningOfWorkspace } from './workspace-name.ts'

/** Plans the changes of a stack, or looks for what was changed behind its back, and hands the plan in. */
export async function planOnly(parts: IacParts, attempt: Attempt, order: IacOrder): Promise<Outcome> {
  const { read } = await makePlan(parts, attempt, order, createProgress(attempt))
  return successWith(read.output, read.omittedValues)
}

export async function makePlan(
  parts: IacParts,
  attempt: Attempt,
  order: IacOrder,
  progress: ProgressShown,
): Promise<{ prepared: Prepared; read: PlanRead }> {
  const { wish } = order
  if (!wish) throw new Error('the order to plan says not what')
  const prepared = await prepare(parts, attempt, order, progress)
  const before = await stateBefore(attempt, order)
  progress.enter('plan')
  const warning = await warningOfWorkspace(prepared.place, order.state?.workspace)
  if (warning !== undefined) attempt.log(warning)
  const ran = await planChanges(prepared.place, modeOf(order, wish), wish)
  if (!hasSucceeded(ran)) throw planFailure(ran.events)
  const shown = await showPlan(prepared.place)
  const file = await madePlanOf(prepared.place)
  if (!shown || !file) throw new StepFailure('iacPlanFailed', 'The plan could not be read. The log says why.')
  const read = await handIn(attempt, prepared, {
    before,
    shown,
    file,
    warnings: [...warningsOfStart(prepared, before), ...ran.warnings.map(withoutFolder(attempt))].slice(0, maxWarnings),
  })
  for (const secret of read.secrets) attempt.mask(secret)
  progress.enter('plan', { total: read.total, changes: read.changes })
  await progress.flush()
  return { prepared, read }
}

/** A workspace without a state may be one whose state is elsewhere. */
const warningsOfStart = ({ replacedBackend }: Prepared, before: StateMark | null): ReportedWarning[] =>
  replacedBackend && before === null ? [warnOfDeclaredBackend(replacedBackend)] : []

function modeOf({ run }: IacOrder, { destroy }: NonNullable<IacOrder['wish']>): PlanMode {
  if (run === 'DRIFT') return 'DRIFT'
  return destroy ? 'DESTROY' : 'PLAN'
}

/** A warning names the file with the values of variables by its path, which only shows where the runner works. */
const withoutFolder =
  ({ folders }: Attempt) =>
  (warning: ReportedWarning): ReportedWarning => ({
    ...warning,
    ...(warning.detail !== undefined && { detail: warning.detail.replaceAll(`${folders.given}/`, '') }),
  })

/** What came of planning. */
type Made = { before: StateMark | null; shown: string; file: Buffer; warnings: ReportedWarning[] }

async function handIn(
  attempt: Attempt,
  { place, checkedOut, tool }: Prepared,
  { before, shown, file, warnings }: Made,
): Promise<PlanRead> {
  const { commit, digest: configDigest } = checkedOut
  const lockFile = await lockFileIn(place)
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
  return attempt.calls.plan(report, shown.trim())
}

/** The state from before the plan, also where the order was given again after a restart in its midst. */
async function stateBefore({ folders }: Attempt, { state }: IacOrder): Promise<StateMark | null> {
  const note = join(folders.notes, 'state-before.json')
  const known = await readFile(note, 'utf8').catch(() => undefined)
  if (known !== undefined) return JSON.parse(known)
  const before = state?.before ?? null
  await writeFile(note, JSON.stringify(before))
  return before
}

function planFailure(events: readonly ToolEvent[]): StepFailure {
  const isLocked = events.some(
    (event) => event.kind === 'error' && /acquiring the state lock/i.test(event.diagnostic.summary),
  )
  return isLocked
    ? toolFailure('iacStateLocked', 'The state is locked.', events)
    : toolFailure('iacPlanFailed', 'The changes could not be planned.', events)
}
