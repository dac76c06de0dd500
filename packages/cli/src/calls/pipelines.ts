import type { PipelineStepExecution } from '@sluice/contract'
import { connect, type Where } from './connect.ts'
import { objectOf, readFields } from './fields.ts'
import { findPipeline } from './find.ts'
import { printer, type Style } from './print.ts'
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

/** Lets a step go on that waits for approval. */
export async function approve(id: string, { comment, ...wishes }: Where & Style & { comment?: string }): Promise<void> {
  const body = comment === undefined ? {} : { data: { comment } }
  const { data: step } = await connect(wishes).approvePipelineStepExecution({ params: { id }, body })
  told(step, `${step.stepId} is approved`, wishes)
}

/** Turns down a step that waits for approval. */
export async function reject(id: string, { comment, ...wishes }: Where & Style & { comment?: string }): Promise<void> {
  const data = comment === undefined ? {} : { comment }
  const { data: step } = await connect(wishes).rejectPipelineStepExecution({ params: { id }, body: { data } })
  told(step, `${step.stepId} is turned down`, wishes)
}

function told(step: PipelineStepExecution, sentence: string, style: Style): void {
  const out = printer(style)
  out.say(sentence)
  out.record(step)
}
