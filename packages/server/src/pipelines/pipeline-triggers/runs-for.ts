import { serviceAuthor } from '../../identity/audit-events/author.ts'
import type { Db } from '../../platform/db/open.ts'
import type { PipelineTrigger } from '../pipeline-versions/config/schema.ts'
import { configOf } from '../pipeline-versions/config/steps.ts'
import type { RunTrigger } from '../pipelines/tables.ts'
import { startTriggered, type TriggerParts } from './start-triggered.ts'
import { pipelinesTriggeredBy } from './store.ts'

/** Event in a code source, and the condition that triggers must meet to match it. */
export type SourceEvent = {
  organizationId: string
  kind: 'push' | 'pull_request' | 'merge_group'
  codeSourceId: string
  waits: (trigger: PipelineTrigger) => boolean
  trigger: RunTrigger
  /** Display name. */
  triggeredBy: string
}

/** Starts a run of each pipeline with a matching trigger; returns the ids of the runs for the engine. */
export async function runsFor(
  tx: Db,
  { organizationId, kind, codeSourceId, waits, ...told }: SourceEvent,
  parts: TriggerParts,
  now: Date,
): Promise<string[]> {
  const runs: string[] = []
  const author = serviceAuthor(organizationId, 'WEBHOOK')
  for (const one of await pipelinesTriggeredBy(tx, organizationId, { type: kind, code_source_id: codeSourceId })) {
    // If several triggers match, the inputs of the first apply.
    const config = (configOf(one.version).triggers ?? []).find(waits)
    if (!config || config.type === 'manual') continue
    runs.push(...(await startTriggered(tx, one, { config, author, triggerSource: 'PUSH', ...told }, parts, now)))
  }
  return runs
}
