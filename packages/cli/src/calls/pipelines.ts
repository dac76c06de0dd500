import { findPipeline } from '@sluice/calls/find'
import { connect, type Where } from './connect.ts'
import { objectOf, readFields } from './fields.ts'
import { type Stay, stayWith } from './stay.ts'
import { watchRun } from './watch.ts'

/** Starts a run of a pipeline. */
export async function run(
  pipeline: string,
  words: string[],
  wishes: Where & Stay & { description?: string; idempotencyKey?: string },
): Promise<void> {
  const inputs = objectOf(readFields(words))
  const client = connect(wishes)
  const { id: pipelineId, givenId } = await findPipeline(client, pipeline)
  const { description, idempotencyKey } = wishes
  const data = { pipelineId, inputs, ...(description !== undefined && { description }) }
  const { data: accepted } = await client.createPipelineRun(
    { body: { data } },
    idempotencyKey ? { idempotencyKey } : {},
  )
  await stayWith(client, accepted, `runs ${givenId}`, wishes, watchRun)
}

/** Runs again what did not succeed of a run, but for the steps that are skipped. */
export async function retry(
  id: string,
  {
    skip,
    reason,
    idempotencyKey,
    ...wishes
  }: Where & Stay & { skip?: string[]; reason?: string; idempotencyKey?: string },
): Promise<void> {
  const client = connect(wishes)
  const data = { ...(skip && { skip }), ...(reason !== undefined && { reason }) }
  const { data: accepted } = await client.retryPipelineRun(
    { params: { id }, body: { data } },
    idempotencyKey ? { idempotencyKey } : {},
  )
  await stayWith(client, accepted, `retries ${id}`, wishes, watchRun)
}
