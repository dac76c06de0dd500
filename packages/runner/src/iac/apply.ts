import { access, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AppliedReport, IacOrder, Outcome } from '@sluice/contract/runner-protocol'
import type { Attempt } from '../attempt.ts'
import { createSuccess } from '../success.ts'
import { createToolFailure } from './failure.ts'
import type { ToolEvent } from './messages.ts'
import type { IacParts } from './parts.ts'
import { createPlan } from './plan.ts'
import { type Prepared, prepareIacStep } from './prepare.ts'
import { createProgressReporter, type ProgressReporter } from './progress.ts'
import { apply, hasSucceeded, pullState, readLeftoverState, showState, writePlan } from './tool-commands.ts'

/** Applies exactly the plan of an earlier step. */
export async function applyPlan(parts: IacParts, attempt: Attempt, order: IacOrder): Promise<Outcome> {
  if (!order.plan) throw new Error('the order to apply has no plan')
  const progress = createProgressReporter(attempt)
  const prepared = await prepareIacStep(parts, attempt, order, progress)
  const plan = await writePlan(prepared.context, Buffer.from(order.plan.file, 'base64'))
  return executeApply({ attempt, order, prepared, progress, plan })
}

/** Plans the destruction of all resources and applies that plan. */
export async function runDestroy(parts: IacParts, attempt: Attempt, order: IacOrder): Promise<Outcome> {
  const progress = createProgressReporter(attempt)
  // A plan that the API has assigned is not made again: the attempt resumes from the files in its directory.
  const prepared = (await hasRequestedPlan(attempt))
    ? await prepareIacStep(parts, attempt, order, progress)
    : (await createPlan(parts, attempt, order, progress)).prepared
  return executeApply({ attempt, order, prepared, progress })
}

/** Marks that this attempt has requested the plan, in the attempt's notes. */
const planRequestedFile = 'asked-for-plan'

const hasRequestedPlan = ({ folders }: Attempt): Promise<boolean> =>
  access(join(folders.checkpoints, planRequestedFile)).then(
    () => true,
    () => false,
  )

type ApplyContext = {
  attempt: Attempt
  order: IacOrder
  prepared: Prepared
  progress: ProgressReporter
  /** Path of the plan file, if an earlier attempt made it. */
  plan?: string
}

/** Applies the plan that the API assigns, and reports the result even if the apply failed. */
async function executeApply({ attempt, order, prepared, progress, plan }: ApplyContext): Promise<Outcome> {
  const { context, checkout } = prepared
  const isAgain = await hasRequestedPlan(attempt)
  // Write the marker before the request: without it, an assigned plan belongs to an earlier attempt.
  await writeFile(join(attempt.folders.checkpoints, planRequestedFile), '')
  const taken = await attempt.api.takePlan({ isAgain, configDigest: checkout.digest })
  progress.enter('apply', taken)
  const inputs = order.applyInputs ?? order.wish ?? { variables: {}, variableFiles: [] }
  const ran = await apply(context, { plan, inputs })
  await progress.flush()
  const leftover = await readLeftoverState(context)
  const pulled = order.state ? undefined : await pullState(context)
  const report = {
    hasSucceeded: hasSucceeded(ran),
    isStale: ran.events.some(
      (event) => event.kind === 'error' && /saved plan is stale/i.test(event.diagnostic.summary),
    ),
    events: ran.events.flatMap(toReportedEvents),
    ...(leftover && { leftover: leftover.toString('base64') }),
    ...(pulled !== undefined && { pulled: Buffer.from(pulled).toString('base64') }),
  }
  const shownState = hasSucceeded(ran) ? await showState(context) : undefined
  const { output, secrets, said, omittedValues } = await attempt.api.reportApply(report, shownState)
  for (const secret of secrets) attempt.mask(secret)
  if (said !== undefined) attempt.log(said)
  if (!hasSucceeded(ran)) throw createToolFailure('iacApplyFailed', 'Not every change could be made.', ran.events)
  return createSuccess(output, omittedValues)
}

/** Returns what the API needs of an event. Most events only count for the progress. */
function toReportedEvents(event: ToolEvent): AppliedReport['events'] {
  if (event.kind === 'error') {
    const { address, summary, detail } = event.diagnostic
    return [{ kind: 'error', ...(address !== undefined && { address }), summary, detail }]
  }
  return event.kind === 'done' ? [{ kind: 'done', address: event.address }] : []
}
