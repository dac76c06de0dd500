import { runAsAuthor } from '../../identity/audit-events/author.ts'
import type { Db } from '../../platform/db/open.ts'
import { present } from '../../platform/present.ts'
import { maxChainLength } from '../pipeline-runs/machine.ts'
import { configOf } from '../pipeline-versions/config/steps.ts'
import { findPipeline } from '../pipelines/store.ts'
import type { PipelineRunRow } from '../pipelines/tables.ts'
import { startTriggered, type TriggerParts } from './start-triggered.ts'
import { pipelinesTriggeredBy } from './store.ts'

/**
 * Starts a run of each pipeline that waits for the end of this one's runs, in the same transaction. Returns the ids of
 * the runs for the engine.
 */
export async function startDependents(tx: Db, run: PipelineRunRow, parts: TriggerParts, now: Date): Promise<string[]> {
  const { organizationId, pipelineId, status } = run
  const waiting = await pipelinesTriggeredBy(tx, organizationId, { type: 'pipeline', pipeline_id: pipelineId })
  if (waiting.length === 0) return []
  const chain = (run.trigger?.chain ?? 0) + 1
  if (chain > maxChainLength) {
    parts.log.warn({ pipelineId, run: run.id, chain }, 'a chain of pipelines that set each other off was cut')
    return []
  }
  const ended = await findPipeline(tx, organizationId, pipelineId)
  const payload = {
    run: { id: run.id, status, inputs: run.inputs },
    pipeline: { id: pipelineId, given_id: ended?.givenId ?? null },
  }
  const runs: string[] = []
  for (const one of waiting) {
    const triggers = configOf(one.version).triggers ?? []
    const config = triggers.find(
      (trigger) =>
        trigger.type === 'pipeline' &&
        trigger.pipeline_id === pipelineId &&
        (trigger.statuses ?? ['SUCCESS']).some((awaited) => awaited === status),
    )
    if (config?.type !== 'pipeline') continue
    const trigger = { kind: 'pipeline' as const, payload, chain, ...present({ authors: run.trigger?.authors }) }
    const triggeredBy = `${ended?.givenId}, by the end of ${run.id}`
    const occasion = { config, trigger, author: runAsAuthor(run), triggerSource: 'PIPELINE', triggeredBy } as const
    runs.push(...(await startTriggered(tx, one, occasion, parts, now)))
  }
  return runs
}
