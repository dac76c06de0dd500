import { access, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AppliedReport, IacOrder, Outcome } from '@sluice/contract/runner-protocol'
import type { Attempt } from '../attempt.ts'
import { successWith } from '../success.ts'
import { toolFailure } from './failure.ts'
import type { ToolEvent } from './messages.ts'
import type { IacParts } from './parts.ts'
import { makePlan } from './plan.ts'
import { type Prepared, prepare } from './prepare.ts'
import { createProgress, type ProgressShown } from './progress.ts'
import { apply, givePlan, hasSucceeded, leftoverStateIn, pullState, showState } from './run.ts'

/** Applies exactly the plan of an earlier step. */
export async function applyPlanOf(parts: IacParts, attempt: Attempt, order: IacOrder): Promise<Outcome> {
  if (!order.plan) throw new Error('the order to apply has no plan')
  const progress = createProgress(attempt)
  const prepared = await prepare(parts, attempt, order, progress)
  const plan = await givePlan(prepared.place, Buffer.from(order.plan.file, 'base64'))
  return carryOut({ attempt, order, prepared, progress, plan })
}

/** Plans that everything goes, and applies that plan. */
export async function destroyAll(parts: IacParts, attempt: Attempt, order: IacOrder): Promise<Outcome> {
  const progress = createProgress(attempt)
  // A plan that is taken is not made again: what was found in the attempt's directory goes on from there.
  const prepared = (await hasAsked(attempt))
    ? await prepare(parts, attempt, order, progress)
    : (await makePlan(parts, attempt, order, progress)).prepared
  return carryOut({ attempt, order, prepared, progress })
}

/** Among the notes of the attempt: this very attempt has asked for the plan, and not one before it. */
const askedNote = 'asked-for-plan'

const hasAsked = ({ folders }: Attempt): Promise<boolean> =>
  access(join(folders.notes, askedNote)).then(
    () => true,
    () => false,
  )

type ToApply = {
  attempt: Attempt
  order: IacOrder
  prepared: Prepared
  progress: ProgressShown
  /** The file of the plan, where it is not of this attempt. */
  plan?: string
}

/** Takes the plan, applies it, and hands in what came of it, however it ended. */
async function carryOut({ attempt, order, prepared, progress, plan }: ToApply): Promise<Outcome> {
  const { place, checkedOut } = prepared
  const isAgain = await hasAsked(attempt)
  // First the note, then the question: an attempt that finds the plan taken and no note is another one.
  await writeFile(join(attempt.folders.notes, askedNote), '')
  const taken = await attempt.calls.takePlan({ isAgain, configDigest: checkedOut.digest })
  progress.enter('apply', taken)
  const inputs = order.applyInputs ?? order.wish ?? { variables: {}, variableFiles: [] }
  const ran = await apply(place, { plan, inputs })
  await progress.flush()
  const leftover = await leftoverStateIn(place)
  const pulled = order.state ? undefined : await pullState(place)
  const report = {
    hasSucceeded: hasSucceeded(ran),
    isStale: ran.events.some(
      (event) => event.kind === 'error' && /saved plan is stale/i.test(event.diagnostic.summary),
    ),
    events: ran.events.flatMap(reported),
    ...(leftover && { leftover: leftover.toString('base64') }),
    ...(pulled !== undefined && { pulled: Buffer.from(pulled).toString('base64') }),
  }
  const shownState = hasSucceeded(ran) ? await showState(place) : undefined
  const { output, secrets, said, omittedValues } = await attempt.calls.applied(report, shownState)
  for (const secret of secrets) attempt.mask(secret)
  if (said !== undefined) attempt.log(said)
  if (!hasSucceeded(ran)) throw toolFailure('iacApplyFailed', 'Not every change could be made.', ran.events)
  return successWith(output, omittedValues)
}

/** What is said of an event to the API; most are only counted. */
function reported(event: ToolEvent): AppliedReport['events'] {
  if (event.kind === 'error') {
    const { address, summary, detail } = event.diagnostic
    return [{ kind: 'error', ...(address !== undefined && { address }), summary, detail }]
  }
  return event.kind === 'done' ? [{ kind: 'done', address: event.address }] : []
}
