import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { apiKeys } from '../../identity/organizations/tables.ts'
import { pipelineStepExecutions } from '../../pipelines/pipelines/tables.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { newId } from '../../platform/ids.ts'
import { seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { createOneOfEverything } from '../../testing/resources.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
beforeAll(async () => {
  world = await startHttpWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

type Owner = Awaited<ReturnType<typeof seedOrganization>>

/** Returns how long after the revocation of its key a stream ends, in milliseconds. */
async function msToEnd(path: string, { key, keyId }: Owner): Promise<number> {
  const response = await fetch(`${world.url}${path}`, { headers: { authorization: `Bearer ${key}` } })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  await world.db.delete(apiKeys).where(eq(apiKeys.id, keyId))
  const revokedAt = performance.now()
  await text(response.body as ReadableStream<Uint8Array>)
  return performance.now() - revokedAt
}

test('a stream of changes ends within 30 s of the revocation of its key', async () => {
  expect(await msToEnd('/changes', await seedOrganization(world.db))).toBeLessThan(30_000)
})

test('a stream of a step log ends within 20 s of the revocation of its key', async () => {
  const owner = await seedOrganization(world.db)
  const { byPath } = await createOneOfEverything(world.db, owner)
  const id = newId('step')
  await world.db.insert(pipelineStepExecutions).values({
    id,
    organizationId: owner.organizationId,
    pipelineRunId: byPath['pipeline-runs'] ?? '',
    ...{ stepId: id, stepName: 'Build', stepType: 'command', engineWorkflowId: id },
    ...{ status: 'IN_PROGRESS', queueReason: 'READY', queueMetadata: {}, attemptEpoch: 1 },
  })
  expect(await msToEnd(`/pipeline-step-executions/${id}/logs/stream`, owner)).toBeLessThan(20_000)
})
