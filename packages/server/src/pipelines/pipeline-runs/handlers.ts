import { runWithWorkerResults } from '../../platform/aside/answered.ts'
import type { WorkOn } from '../../platform/db/ownership.ts'
import { createRecordObject, type RecordMessage } from '../../platform/engine/keyed-by-record.ts'
import type { Message } from '../../platform/engine/messages.ts'
import { advanceRun, type PassParts } from './advance.ts'
import { messagesOf } from './recipients.ts'
import { loadWakeSeq } from './store.ts'
import { runService, type WakeUp, wakeUpOf } from './wake.ts'

export type RunParts = PassParts & {
  /** Notifies runners that wait in this process. */
  onReady: () => void
}

/**
 * Engine object keyed by pipeline run id. Each call makes a pass over the run and schedules the wake-up for the next
 * one.
 */
export const runObject = (workOn: WorkOn<RunParts>) =>
  createRecordObject<RunParts, WakeUp>({
    service: runService,
    handler: 'advance',
    journaledAs: 'look',
    workOn,
    step: look,
  })

async function look(parts: RunParts, { id, engineRunId, payload: { seq } }: RecordMessage<WakeUp>): Promise<Message[]> {
  // Ignore a timer from before the last write.
  if (seq !== undefined && seq !== (await loadWakeSeq(parts.db, id))) return []
  // The end of a run may start a run of another instance, whose inputs are checked.
  const looked = await runWithWorkerResults(id, () => advanceRun(parts, id, engineRunId))
  if (!looked) return []
  const { run, wakeSeqBefore, told } = looked
  if (told.isReady) parts.onReady()
  const isSet = run.wakeAt === null || run.wakeSeq === wakeSeqBefore
  return [...messagesOf(told), ...(isSet ? [] : [wakeUpOf(run, parts.clock())])]
}
