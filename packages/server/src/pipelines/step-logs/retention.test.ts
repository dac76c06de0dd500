import { afterAll, expect, test } from 'vitest'
import { eq } from '../../platform/db/drizzle.ts'
import { daysBefore } from '../../platform/db/forgetting.ts'
import { firstIdAt } from '../../platform/ids.ts'
import { openTestDatabase } from '../../testing/database.ts'
import { createOneOfEverything } from '../../testing/resources.ts'
import { pipelineStepExecutions, stepLogChunks } from '../pipelines/tables.ts'
import { deleteExpiredStepLogs } from './retention.ts'

const database = await openTestDatabase()
afterAll(() => database.close())

test('expired logs are deleted, and their steps remain', async () => {
  const { db } = database
  const { byPath } = await createOneOfEverything(db)
  const of = eq(pipelineStepExecutions.id, byPath['pipeline-step-executions'] ?? '')
  const [step] = await db.select().from(pipelineStepExecutions).where(of)
  if (!step) throw new Error('there is one of everything')
  await db.delete(stepLogChunks)
  const now = new Date()
  const ofStep = async (name: string, { begun, ended }: { begun: number; ended: number }) => {
    const id = firstIdAt('step', daysBefore(now, begun))
    const over = { status: 'SUCCESS' as const, completedAt: daysBefore(now, ended), wakeAt: null }
    await db.insert(pipelineStepExecutions).values({ ...step, ...over, id, stepId: name })
    const { organizationId } = step
    const chunk = { organizationId, stepExecutionId: id, attemptEpoch: 1, writtenAt: now, text: name }
    await db.insert(stepLogChunks).values([1, 2].map((sequence) => ({ ...chunk, sequence })))
  }
  await ofStep('long over', { begun: 41, ended: 40 })
  await ofStep('took long', { begun: 60, ended: 1 })
  await ofStep('young', { begun: 2, ended: 2 })

  await deleteExpiredStepLogs(30)(db, now)
  const left = await db.selectDistinct({ text: stepLogChunks.text }).from(stepLogChunks)
  expect(left.map(({ text }) => text).toSorted()).toEqual(['took long', 'young'])
  expect(await db.$count(pipelineStepExecutions, eq(pipelineStepExecutions.stepId, 'long over'))).toBe(1)
})
