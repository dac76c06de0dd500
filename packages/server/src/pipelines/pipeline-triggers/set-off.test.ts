import type { PipelineRun } from '@sluice/contract'
import { beforeAll, expect, test } from 'vitest'
import { eq } from '../../platform/db/drizzle.ts'
import { eventually } from '../../testing/eventually.ts'
import { sharedWorld, type World } from '../../testing/world.ts'
import { pipelineSchedules } from '../pipelines/tables.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})

test('a schedule starts a run, and its end starts the next one', async () => {
  const { client, pipelines } = await world.organization()
  // Skipped, so that no runner is needed.
  const steps = [{ id: 'ask', type: 'approval', when: false }]
  const first = await pipelines.create({ steps, triggers: [{ type: 'schedule', cron: '0 4 * * *' }] })
  const second = await pipelines.create({ steps, triggers: [{ type: 'pipeline', pipeline_id: first.id }] })

  await world.db.update(pipelineSchedules).set({ nextAt: new Date() }).where(eq(pipelineSchedules.pipelineId, first.id))
  const [run] = await eventually(
    'the second pipeline to have run',
    () => client.done<PipelineRun[]>('GET', `/pipeline-runs?pipelineId=${second.id}`),
    ([latest]) => latest?.status === 'SUCCESS',
  )
  expect(run).toMatchObject({ triggerSource: 'PIPELINE', triggeredBy: expect.stringContaining(first.givenId) })
  const [cause] = await client.done<PipelineRun[]>('GET', `/pipeline-runs?pipelineId=${first.id}`)
  expect(cause).toMatchObject({ status: 'SUCCESS', triggerSource: 'SCHEDULE' })
  expect(run?.triggeredBy).toContain(cause?.id)
})
