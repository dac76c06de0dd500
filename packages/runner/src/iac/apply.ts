import { access, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AppliedReport, IacOrder, Outcome } from '@sluice/contract/runner-protocol'
import type { Attempt } from '../attempt.ts'
import { toolFailure } from './failure.ts'
import type { ToolEvent } from './messages.ts'
import type { IacParts } from './parts.ts'
import { makePlan } from './plan.ts'
import { type Prepared, prepare } from './prepare.ts'
import { createProgress, type ProgressShown } from './progress.ts'
import { apply, hasSucceeded, leftoverState, planFile, pullState } from './run.ts'

/** Applies exactly the plan of an earlier step. */
export async function applyPlanOf(parts: IacParts, attempt: Attempt, order: IacOrder): Promise<Outcome> {
  if (!order.plan) throw new Error('the order to apply has no plan')
  const progress = createProgress(attempt)
  const prepared = await prepare(parts, attempt, order, progress)
  await writeFile(planFile(prepared.place.directory), Buffer.from(order.plan.file, 'base64'), { mode: 0o600 })
  return carryOut(attempt, order, prepared, progress)
}

/** Plans that everything goes, and applies that plan. */
export async function destroyAll(parts: IacParts, attempt: Attempt, order: IacOrder): Promise<Outcome> {
  const progress = createProgress(attempt)
  // A plan that is taken is not made again: what was found in the attempt's directory goes on from there.
  const prepared = (await hasAsked(attempt))
    ? await prepare(parts, attempt, order, progress)
    : (await makePlan(parts, attempt, order, progress)).prepared
  return carryOut(attempt, order, prepared, progress)
}

/** In the attempt's directory: this very attempt has asked for the plan, and not one before it. */
const askedNote = 'asked-for-plan'

const hasAsked = ({ directory }: Attempt): Promise<boolean> =>
  access(join(directory, askedNote)).then(
    () => true,
    () => false,
  )

/** Takes the plan, applies it, and hands in what came of it, however it ended. */
async function carryOut(
  attempt: Attempt,
  order: IacOrder,
  { place, checkedOut }: Prepared,
  progress: ProgressShown,
): Promise<Outcome> {
  const isAgain = await hasAsked(attempt)
  // First the note, then the question: an attempt that finds the plan taken and no note is another one.
  await writeFile(join(attempt.directory, askedNote), '')
  const taken = await attempt.calls.takePlan({ isAgain, configDigest: checkedOut.digest })
  progress.enter('apply', taken)
  const ran = await apply(place)
  await progress.flush()
  const leftover = await readFile(join(place.directory, leftoverState), 'base64').catch(() => undefined)
  const pulled = order.state ? undefined : await pullState(place)
  const { output, secrets, said } = await attempt.calls.applied({
    hasSucceeded: hasSucceeded(ran),
    isStale: ran.events.some((event) => event.kind === 'error' && /saved plan is stale/i.test(event.summary)),
    events: ran.events.flatMap(reported),
    ...(leftover !== undefined && { leftover }),
    ...(pulled !== undefined && { pulled: Buffer.from(pulled).toString('base64') }),
  })
  for (const secret of secrets) attempt.mask(secret)
  if (said !== undefined) attempt.log(said)
  if (!hasSucceeded(ran)) throw toolFailure('iacApplyFailed', 'Not every change could be made.', ran.events)
  return { status: 'SUCCESS', output }
}

/** What is said of an event to the API; most are only counted. */
function reported(event: ToolEvent): AppliedReport['events'] {
  if (event.kind === 'error') {
    const { kind, address, summary, detail } = event
    return [{ kind, ...(address !== undefined && { address }), summary, detail }]
  }
  return event.kind === 'done' ? [{ kind: 'done', address: event.address }] : []
}
