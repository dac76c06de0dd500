import { afterAll, beforeAll, expect, test } from 'vitest'
import { deployments } from '../../delivery/deployments/store/tables.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { newId } from '../../platform/ids.ts'
import { Client } from '../../testing/client.ts'
import { seedInstances, seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { finishedDeployment } from '../../testing/resources.ts'

const begin = Date.parse('2026-01-01T00:00:00Z')
const startOf = (index: number) => new Date(begin + index * 5_000_000)

let world: Awaited<ReturnType<typeof startHttpWorld>>
beforeAll(async () => {
  world = await startHttpWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

/** Returns a client of an organization with one module instance and its 4,000 deployments. */
async function seedDeployments(): Promise<Client> {
  const { organizationId, key } = await seedOrganization(world.db)
  const [moduleInstanceId = ''] = await seedInstances(world.db, organizationId, 1)
  const [instance] = await world.db.select().from(moduleInstances).where(eq(moduleInstances.id, moduleInstanceId))
  const { projectId = '', environmentId = '' } = instance ?? {}
  const statuses = ['SUCCESS', 'SUCCESS', 'SUCCESS', 'ERROR', 'ROLLED_BACK'] as const
  const rows = Array.from({ length: 4_000 }, (_, index) => ({
    ...finishedDeployment,
    id: newId('dep'),
    organizationId,
    projectId,
    environmentId,
    moduleInstanceId,
    status: statuses[index % 5] ?? 'SUCCESS',
    startedAt: startOf(index),
    completedAt: new Date(startOf(index).getTime() + 300_000),
  }))
  while (rows.length > 0) await world.db.insert(deployments).values(rows.splice(0, 1_000))
  return new Client(world.url, key)
}

test('the time for a report grows with the number of deployments, not with its square', async () => {
  const client = await seedDeployments()
  const window = (count: number) => `startTime=${startOf(0).toISOString()}&endTime=${startOf(count).toISOString()}`
  const msOf = async (path: string) => {
    const startedAt = performance.now()
    expect((await client.ask('GET', `/reports/${path}`)).status).toBe(200)
    return performance.now() - startedAt
  }
  const reports = ['delivery?', 'delivery?interval=MONTH&groupBy=MODULE_INSTANCE&', 'changes?', 'pauses?']
  for (const path of [...reports, 'delivery/records?figure=RESTORES&']) {
    // Eight times as many deployments take about eight times as long; comparing each with all would take 64 times.
    const [few, many]: [number[], number[]] = [[], []]
    for (let round = 0; round < 3; round++) {
      few.push(await msOf(`${path}${window(500)}`))
      many.push(await msOf(`${path}${window(4_000)}`))
    }
    expect(Math.min(...many) / Math.min(...few), path).toBeLessThan(32)
  }
})
