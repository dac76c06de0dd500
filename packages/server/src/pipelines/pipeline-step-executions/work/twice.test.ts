import { randomBytes } from 'node:crypto'
import type { Deployment, PipelineRun } from '@sluice/contract'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createSeal } from '../../../platform/crypto/seal.ts'
import { eq } from '../../../platform/db/drizzle.ts'
import { Limits } from '../../../platform/limits/limits.ts'
import { sharedWorld } from '../../../testing/world.ts'
import { loadRunContext } from '../../pipeline-runs/context.ts'
import { pipelineStepExecutions } from '../../pipelines/tables.ts'
import { deploy } from './deploy.ts'
import { pipeline } from './pipeline.ts'
import type { Attempt, StepWork, WorkParts } from './work.ts'

/** Makes two concurrent calls for a step with the same state, as after a broken connection to the engine. */
async function twoCallsOf(work: StepWork, given: (place: Place) => object | Promise<object>) {
  const world = await sharedWorld()
  const { db } = world
  const organization = await world.organization()
  const { pipelines, client } = organization
  const { id: runId } = await pipelines.run([{ id: 'gate', type: 'approval' }, await given(organization)])
  await pipelines.until(runId, 'PENDING_APPROVAL') // until then no other call starts the step
  const { id } = await pipelines.step(runId, 'work')
  const begun = { status: 'IN_PROGRESS', attemptEpoch: 1 } as const
  const [step] = await db.update(pipelineStepExecutions).set(begun).where(eq(pipelineStepExecutions.id, id)).returning()
  if (!step) throw new Error('there is no step')
  const seal = createSeal([randomBytes(32)])
  const context = await loadRunContext(db, seal, { organizationId: organization.id, id: runId })
  const config = context.config.steps[1]
  if (!config) throw new Error('the run has one step only')
  const attempt: Attempt = { step, run: context.run, config, context }
  const parts: WorkParts = {
    db,
    seal,
    clock: () => new Date(),
    onRunEnded: [],
    log: pino({ level: 'silent' }),
    limits: new Limits({}),
    hasSharedRunners: true,
    onReady: () => {},
    sendOutbound: async () => {
      throw new Error('nothing is sent')
    },
  }
  const [first, second] = await Promise.all([work(parts, attempt), work(parts, attempt)])
  expect(second.messages, 'both follow the same').toEqual(first.messages)
  return { client, runId }
}

type Place = Awaited<ReturnType<Awaited<ReturnType<typeof sharedWorld>>['organization']>>

test('a deploy step with two concurrent calls deploys once', async () => {
  const { client, runId } = await twoCallsOf(deploy, async (organization) => {
    const { moduleInstanceId } = await organization.service()
    const release = { module_instance_id: moduleInstanceId, inputs: { image_ref: 'shop/app:2' } }
    return { id: 'work', type: 'deploy', with: release }
  })
  expect(await client.done<Deployment[]>('GET', `/deployments?pipelineRunId=${runId}`)).toHaveLength(1)
})

test('a pipeline step with two concurrent calls starts one run', async () => {
  let child = ''
  const { client } = await twoCallsOf(pipeline, async ({ pipelines }) => {
    child = (await pipelines.create({ steps: [{ id: 'gate', type: 'approval' }] })).id
    return { id: 'work', type: 'pipeline', with: { pipeline_id: child } }
  })
  expect(await client.done<PipelineRun[]>('GET', `/pipeline-runs?pipelineId=${child}`)).toHaveLength(1)
})
