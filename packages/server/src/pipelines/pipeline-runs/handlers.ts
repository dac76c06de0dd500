import { answered } from '../../platform/aside/answered.ts'
import type { WorkOn } from '../../platform/db/ownership.ts'
import { type Called, keyedByRecord } from '../../platform/engine/keyed-by-record.ts'
import type { Message } from '../../platform/engine/messages.ts'
import { type LookParts, lookAtRun } from './look.ts'
import { loadWakeSeq } from './store.ts'
import { messagesOf } from './tell.ts'
import { runService, type WakeUp, wakeUpOf } from './wake.ts'

export type RunParts = LookParts & {
  /** Tells the runners of this process that steps wait for them. */
  onReady: () => void
}

/**
 * Keyed by pipeline run id: each call does all that can be done about the run now, and sets the wake-up for what comes
 * later.
 */
export const runObject = (workOn: WorkOn<RunParts>) =>
  keyedByRecord<RunParts, WakeUp>({
    service: runService,
    handler: 'advance',
    journaledAs: 'look',
    workOn,
    step: look,
  })

async function look(parts: RunParts, { id, engineRunId, payload: { seq } }: Called<WakeUp>): Promise<Message[]> {
  // A timer from before the last write has nothing to say.
  if (seq !== undefined && seq !== (await loadWakeSeq(parts.db, id))) return []
  // The end of a run may start that of another instance, whose inputs are checked.
  const looked = await answered(id, () => lookAtRun(parts, id, engineRunId))
  if (!looked) return []
  const { run, wakeSeqBefore, told } = looked
  if (told.isReady) parts.onReady()
  const isSet = run.wakeAt === null || run.wakeSeq === wakeSeqBefore
  return [...messagesOf(told), ...(isSet ? [] : [wakeUpOf(run, parts.clock())])]
}
