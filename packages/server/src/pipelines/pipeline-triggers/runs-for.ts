import { theService } from '../../identity/audit-events/author.ts'
import type { Db } from '../../platform/db/open.ts'
import type { PipelineTrigger } from '../pipeline-versions/config/schema.ts'
import { configOf } from '../pipeline-versions/config/steps.ts'
import type { RunTrigger } from '../pipelines/tables.ts'
import { startTriggered, type TriggerParts } from './start-triggered.ts'
import { pipelinesTriggeredBy } from './store.ts'

/** What happened in a code source, and which triggers wait for it. */
export type SourceNews = {
  organizationId: string
  kind: 'push' | 'pull_request' | 'merge_group'
  codeSourceId: string
  waits: (trigger: PipelineTrigger) => boolean
  trigger: RunTrigger
  /** For people. */
  triggeredBy: string
}

/** Starts a run of each pipeline that waits for it; the ids of the runs that the engine is to be told of. */
export async function runsFor(
  tx: Db,
  { organizationId, kind, codeSourceId, waits, ...told }: SourceNews,
  parts: TriggerParts,
  now: Date,
): Promise<string[]> {
  const runs: string[] = []
  const author = theService(organizationId, 'WEBHOOK')
  for (const one of await pipelinesTriggeredBy(tx, organizationId, { type: kind, code_source_id: codeSourceId })) {
    // Of several that wait for it, the first says with which inputs.
    const config = (configOf(one.version).triggers ?? []).find(waits)
    if (!config || config.type === 'manual') continue
    runs.push(...(await startTriggered(tx, one, { config, author, triggerSource: 'PUSH', ...told }, parts, now)))
  }
  return runs
}
