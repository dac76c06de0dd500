import type { DeploymentRecordRow } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { deployments } from '../../delivery/deployments/store/tables.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { newId } from '../../platform/ids.ts'
import { Client } from '../../testing/client.ts'
import { seedInstances, seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { finishedDeployment } from '../../testing/resources.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let client: Client
let environmentId: string
let organizationId: string

beforeAll(async () => {
  world = await startHttpWorld()
  const owner = await seedOrganization(world.db)
  organizationId = owner.organizationId
  client = new Client(world.url, owner.key)
  const [web = '', jobs = ''] = await seedInstances(world.db, organizationId, 2)
  environmentId = await named(web, 'Web shop')
  await named(jobs, 'Jobs')
  await insert(web, { version: '1.0.0', by: 'Ada Lovelace', minutes: 3 })
  await insert(web, { version: '2.0.0', by: 'Grace Hopper', minutes: 1, status: 'ERROR' })
  await insert(jobs, { version: '1.5.0', by: 'Ada Lovelace', minutes: 2 })
})
afterAll(() => world?.[Symbol.asyncDispose]())

async function named(id: string, name: string): Promise<string> {
  const [row] = await world.db.update(moduleInstances).set({ name }).where(eq(moduleInstances.id, id)).returning()
  return row?.environmentId ?? ''
}

type Made = { version: string; by: string; minutes: number; status?: 'SUCCESS' | 'ERROR' }

async function insert(moduleInstanceId: string, { version, by, minutes, status = 'SUCCESS' }: Made): Promise<void> {
  const [instance] = await world.db.select().from(moduleInstances).where(eq(moduleInstances.id, moduleInstanceId))
  if (!instance) throw new Error(`There is no ${moduleInstanceId}.`)
  const { projectId } = instance
  const definition = { containerDefinitions: [{ image: `registry.example/shop/app:${version}` }] }
  await world.db.insert(deployments).values({
    id: newId('dep'),
    organizationId,
    projectId,
    environmentId: instance.environmentId,
    moduleInstanceId,
    ...finishedDeployment,
    status,
    data: {
      ...finishedDeployment.data,
      triggeredBy: by,
      deployedTaskDefinition: { arn: 'task-definition', revision: 1, definition },
    },
    startedAt: new Date(Date.now() - minutes * 60_000),
    completedAt: new Date(),
  })
}

async function versions(query: Record<string, string> = {}, of = client): Promise<(string | undefined)[]> {
  const { status, body } = await of.ask('GET', `/reports/deployments?${new URLSearchParams(query)}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return (body as { data: { rows: DeploymentRecordRow[] } }).data.rows.map(({ version }) => version)
}

test(
  'deployments can be filtered by every column',
  everyCase<[Record<string, string>, string[]]>(
    [
      [{}, ['1.5.0', '2.0.0', '1.0.0']],
      [{ service: 'SHOP' }, ['2.0.0', '1.0.0']],
      [{ triggeredBy: 'lovelace' }, ['1.5.0', '1.0.0']],
      [{ version: '2.0' }, ['2.0.0']],
      [{ version: 'registry' }, []],
      [{ status: 'ERROR' }, ['2.0.0']],
      [{ service: 'jobs', triggeredBy: 'hopper' }, []],
      [{ projectId: 'prj_none' }, []],
      [{ endTime: '2026-01-01T00:00:00Z' }, []],
      [{ limit: '1' }, ['1.5.0']],
    ],
    async (query, expected) => expect(await versions(query)).toEqual(expected),
  ),
)

test('deployments of a service are found by its exact givenId', async () => {
  const isJobs = eq(moduleInstances.name, 'Jobs')
  await world.db.update(moduleInstances).set({ givenId: 'jobs' }).where(isJobs)
  expect(await versions({ givenId: 'jobs' })).toEqual(['1.5.0'])
  expect(await versions({ givenId: 'job' })).toEqual([])
})

test(
  'deployments can be sorted by every column in both directions',
  everyCase<[string, string[]]>(
    [
      ['CREATED_AT', ['1.0.0', '2.0.0', '1.5.0']],
      ['SERVICE', ['1.5.0', '2.0.0', '1.0.0']],
      ['VERSION', ['1.0.0', '1.5.0', '2.0.0']],
      ['STATUS', ['2.0.0', '1.5.0', '1.0.0']],
      ['TRIGGERED_BY', ['1.5.0', '1.0.0', '2.0.0']],
      ['DURATION', ['2.0.0', '1.5.0', '1.0.0']],
    ],
    async (sort, ascending) => {
      expect(await versions({ sort, order: 'ASCENDING' })).toEqual(ascending)
      expect(new Set(await versions({ sort, order: 'DESCENDING' }))).toEqual(new Set(ascending))
    },
  ),
)

test('a row has the service, environment, project and user, also as CSV', async () => {
  const { body } = await client.ask('GET', `/reports/deployments?version=2.0.0&environmentId=${environmentId}`)
  expect((body as { data: object }).data).toMatchObject({
    total: 1,
    rows: [
      {
        moduleInstanceName: 'Web shop',
        environmentName: 'A',
        projectName: 'A',
        triggeredBy: 'Grace Hopper',
        isPaused: false,
      },
    ],
  })
  const csv = await fetch(`${world.url}/reports/deployments?format=csv&version=2.0.0`, {
    headers: { authorization: `Bearer ${client.token}` },
  })
  expect(await csv.text()).toMatch(
    /^deploymentId,createdAt,.*\r?\ndep_.*,Web shop,.*,2\.0\.0,ERROR,false,Grace Hopper,/,
  )
})

test('deployments of another organization are excluded', async () => {
  const other = await seedOrganization(world.db)
  expect(await versions({}, new Client(world.url, other.key))).toEqual([])
})
