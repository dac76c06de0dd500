import { type Freezes, type Intent, stopping } from '../../../gates/freezes/machine.ts'
import { freezesOf } from '../../../gates/freezes/store.ts'
import type { Scope } from '../../../gates/scope.ts'
import { recordFreezeWarnings } from '../../../gates/warnings.ts'
import { placeOfStack, scopeOfInstance } from '../../../modules/module-instances/places.ts'
import type { Db } from '../../../platform/db/open.ts'
import type { Message } from '../../../platform/engine/messages.ts'
import { present } from '../../../platform/present.ts'
import type { PipelineRunRow } from '../../pipelines/tables.ts'
import type { Step } from '../attempt.ts'
import { wakeGated } from '../store.ts'
import { toRun } from '../wake.ts'
import type { Clearance } from './freezes.ts'

/** Wakes the runs of an organization whose steps a freeze or an approval rule may stop; the messages to them. */
export const wakeGatedRuns = async (tx: Db, organizationId: string, now: Date): Promise<Message[]> =>
  (await wakeGated(tx, organizationId, now)).map((id) => toRun(id))

/** The freezes of an organization, asked about the steps of a run that are to change infrastructure now. */
export class Clearing {
  readonly #tx: Db
  readonly #run: PipelineRunRow
  readonly #now: Date
  readonly #intents = new Map<string, Intent>()
  #known: Freezes | undefined

  constructor(tx: Db, run: PipelineRunRow, now: Date) {
    this.#tx = tx
    this.#run = run
    this.#now = now
  }

  async ask(step: Step): Promise<Clearance> {
    const intent: Intent = { act: 'APPLIES', place: await placeOf(this.#tx, this.#run, step), now: this.#now }
    this.#known ??= await freezesOf(this.#tx, step.organizationId, this.#now)
    this.#intents.set(step.id, intent)
    return stopping(this.#known, intent) ?? 'nothing'
  }

  /** A step that was let go on: what only warns is known by what it would have stopped. */
  async recordWarnings({ id, organizationId, pipelineRunId }: Step): Promise<void> {
    const intent = this.#intents.get(id)
    if (!intent || !this.#known) return
    const moduleInstanceId = intent.place.moduleInstanceId ?? undefined
    const of = present({ pipelineRunId, stepExecutionId: id, moduleInstanceId })
    await recordFreezeWarnings(this.#tx, organizationId, { known: this.#known, intent }, of)
  }
}

/**
 * Where a step changes infrastructure: where its stack is. What a run of an instance does to a stack of nobody's is
 * done for the instance.
 */
export async function placeOf(
  db: Db,
  { organizationId, moduleInstanceId }: PipelineRunRow,
  { stackId }: Step,
): Promise<Scope> {
  const ofStack = stackId === null ? undefined : await placeOfStack(db, organizationId, stackId)
  if (ofStack?.moduleInstanceId || moduleInstanceId === null) return ofStack ?? {}
  return { ...ofStack, ...(await scopeOfInstance(db, organizationId, moduleInstanceId)), moduleInstanceId }
}
