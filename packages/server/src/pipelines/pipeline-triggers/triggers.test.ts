import type { PipelineRun, PipelineVersion } from '@sluice/contract'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { eq } from '../../platform/db/drizzle.ts'
import type { Engine } from '../../platform/engine/client.ts'
import { Limits } from '../../platform/limits/limits.ts'
import { Client } from '../../testing/client.ts'
import { type SeededOrganization, seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { createOneOfEverything } from '../../testing/resources.ts'
import { maxChainLength } from '../pipeline-runs/machine.ts'
import { type PipelineRunRow, pipelineRuns, pipelineSchedules } from '../pipelines/tables.ts'
import { startDependents } from './dependents.ts'
import { matchesPullRequest } from './pull-request.ts'
import { matchesPush, type Push, runsForPush } from './push.ts'
import { startDue } from './schedules.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let owner: SeededOrganization
let client: Client
let projectId: string
let codeSourceId: string
let warnings: string[]
const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) })

beforeAll(async () => {
  world = await startHttpWorld()
  owner = await seedOrganization(world.db)
  client = new Client(world.url, owner.key)
  const project = { data: { givenId: 'shop', name: 'Shop' } }
  projectId = (await client.done<{ id: string }>('POST', '/projects', project)).id
  codeSourceId = (await createOneOfEverything(world.db, owner)).byPath['code-sources'] ?? ''
})
afterAll(() => world?.[Symbol.asyncDispose]())
beforeEach(() => {
  warnings = []
})

const steps = [{ id: 'ask', type: 'approval' }]

let names = 0
async function pipelineWith(...triggers: object[]): Promise<string> {
  names += 1
  const data = { projectId, givenId: `release-${names}`, name: 'Release' }
  const { id } = await client.done<{ id: string }>('POST', '/pipelines', { data })
  await addVersion(id, ...triggers)
  return id
}
const addVersion = (pipelineId: string, ...triggers: object[]) => {
  const config = { inputs: [{ id: 'what', type: 'json' }], triggers, steps }
  return client.done<PipelineVersion>('POST', '/pipeline-versions', { data: { pipelineId, config } })
}
const runsOf = (pipelineId: string) => client.done<PipelineRun[]>('GET', `/pipeline-runs?pipelineId=${pipelineId}`)
async function rowOf(id: string): Promise<PipelineRunRow> {
  const [row] = await world.db.select().from(pipelineRuns).where(eq(pipelineRuns.id, id))
  if (!row) throw new Error(`there is no run ${id}`)
  return row
}

describe('a push', () => {
  const trigger = (more: object = {}) => ({ type: 'push' as const, code_source_id: 'cs_1', ...more })

  test(
    'starts the pipelines whose filters it matches',
    everyCase<[string, Parameters<typeof matchesPush>[0], Partial<Push>, boolean]>(
      [
        ['of the code source', trigger(), {}, true],
        ['of another code source', trigger(), { codeSourceId: 'cs_2' }, false],
        ['to a branch', trigger({ branches: ['main', 'release/*'] }), { branch: 'release/2' }, true],
        ['to another branch', trigger({ branches: ['main', 'release/*'] }), { branch: 'feature/x' }, false],
        [
          'that changed a path',
          trigger({ paths: ['docs/**', 'src/*.ts'] }),
          { changedPaths: ['a', 'docs/b/c.md'] },
          true,
        ],
        ['that changed other paths', trigger({ paths: ['docs/**'] }), { changedPaths: ['src/docs.ts'] }, false],
        ['that changed no path', trigger({ paths: ['**'] }), { changedPaths: [] }, false],
        ['of a tag', trigger({ tags: ['v*'] }), { branch: undefined, tag: 'v1.2.0', changedPaths: null }, true],
        ['of another tag', trigger({ tags: ['v*'] }), { branch: undefined, tag: 'x', changedPaths: null }, false],
        ['of a tag, where none is waited for', trigger(), { branch: undefined, tag: 'v1', changedPaths: null }, false],
        ['to a branch, where tags are waited for', trigger({ tags: ['**'] }), {}, false],
        ['to a branch, where both are waited for', trigger({ tags: ['v*'], branches: ['main'] }), {}, true],
        ['of the path, to another branch', trigger({ branches: ['x'], paths: ['**'] }), {}, false],
      ],
      (_, config, push, isOne) => {
        const given = { codeSourceId: 'cs_1', branch: 'main', changedPaths: ['src/a.ts'], ...push }
        expect(matchesPush(config, given)).toBe(isOne)
      },
    ),
  )

  test('starts a run of each matching pipeline, with the inputs of the trigger', async () => {
    const inputs = { what: '<< trigger.payload.commit >> of << project.given_id >>' }
    const on = (branch: string, more: object = {}) => ({
      type: 'push',
      code_source_id: codeSourceId,
      branches: [branch],
      ...more,
    })
    const waiting = await pipelineWith(on('other'), on('main', { inputs }), on('*'))
    const other = await pipelineWith(on('release'))
    const before = await pipelineWith(on('main'))
    await addVersion(before) // the triggers of the latest version apply
    const push = {
      organizationId: owner.organizationId,
      codeSourceId,
      branch: 'main',
      commit: 'c0ffee',
      changedPaths: ['a'],
      pushedBy: 'ann',
    }
    const told = await world.db.transaction((tx) => runsForPush(tx, push, { log, limits: new Limits({}) }, new Date()))
    const [run, ...more] = await runsOf(waiting)
    expect(more).toEqual([])
    expect(run).toMatchObject({
      inputs: { what: 'c0ffee of shop' },
      triggerSource: 'PUSH',
      triggeredBy: 'ann, by a push to main',
    })
    expect(told).toEqual([run?.id])
    expect([await runsOf(other), await runsOf(before)]).toEqual([[], []])
    expect((await rowOf(run?.id ?? '')).trigger).toMatchObject({ kind: 'push', payload: { branch: 'main' } })
    const elsewhere = { ...push, organizationId: (await seedOrganization(world.db)).organizationId }
    expect(
      await world.db.transaction((tx) => runsForPush(tx, elsewhere, { log, limits: new Limits({}) }, new Date())),
    ).toEqual([])
  })
})

test(
  'a pull request starts the pipelines whose filters it matches',
  everyCase<[string, object, Partial<Parameters<typeof matchesPullRequest>[1]>, boolean]>(
    [
      ['that is opened', {}, {}, true],
      ['in another code source', {}, { codeSourceId: 'cs_2' }, false],
      ['into a branch', { branches: ['release/*'] }, { baseBranch: 'release/2' }, true],
      ['into another branch', { branches: ['release/*'] }, {}, false],
      ['that changes a path', { paths: ['src/**'] }, {}, true],
      ['that changes other paths', { paths: ['docs/**'] }, {}, false],
      ['whose title changed', {}, { action: 'edited' }, false],
      ['that is closed', {}, { action: 'closed' }, false],
      ['that is closed, where that is waited for', { actions: ['closed'] }, { action: 'closed' }, true],
    ],
    (_, more, change, isOne) => {
      const asked = {
        codeSourceId: 'cs_1',
        action: 'opened',
        branch: 'cart',
        baseBranch: 'main',
        changedPaths: ['src/a.ts'],
      }
      const trigger = { type: 'pull_request' as const, code_source_id: 'cs_1', ...more }
      expect(matchesPullRequest(trigger, { ...asked, ...change })).toBe(isOne)
    },
  ),
)

describe('a schedule', () => {
  const daily = {
    type: 'schedule',
    cron: '30 6 * * *',
    time_zone: 'Europe/Berlin',
    inputs: { what: '<< trigger.payload.at >>' },
  }
  const sent: string[] = []
  const engine: Engine = {
    send: async (service, key) => `${sent.push(`${service} ${key}`)}`,
    healthy: async () => true,
  }
  const sweep = (at: string) =>
    startDue({ db: world.db, engine, clock: () => new Date(at), log, limits: new Limits({}) })
  const due = (pipelineId: string, nextAt: string) =>
    world.db
      .update(pipelineSchedules)
      .set({ nextAt: new Date(nextAt) })
      .where(eq(pipelineSchedules.pipelineId, pipelineId))
  async function nextOf(pipelineId: string): Promise<string[]> {
    const rows = await world.db.select().from(pipelineSchedules).where(eq(pipelineSchedules.pipelineId, pipelineId))
    return rows.map(({ nextAt }) => nextAt.toISOString())
  }

  test('starts a run once when it is due, regardless of the number of processes', async () => {
    const pipelineId = await pipelineWith({ type: 'manual' }, daily)
    await due(pipelineId, '2026-03-28T05:30:00.000Z')
    expect(await sweep('2026-03-28T05:29:59.999Z')).toBe(0)
    await Promise.all(Array.from({ length: 4 }, () => sweep('2026-03-28T05:30:00.500Z')))
    const [run, ...more] = await runsOf(pipelineId)
    expect(more).toEqual([])
    expect(run).toMatchObject({
      inputs: { what: '2026-03-28T05:30:00.000Z' },
      triggerSource: 'SCHEDULE',
      triggeredBy: 'the schedule 30 6 * * * (Europe/Berlin)',
    })
    expect(sent).toContain(`run ${run?.id}`)
    // Daylight saving time starts in between.
    expect(await nextOf(pipelineId)).toEqual(['2026-03-29T04:30:00.000Z'])
  })

  test('that missed several times starts a single run', async () => {
    const pipelineId = await pipelineWith(daily)
    await due(pipelineId, '2026-01-01T05:30:00.000Z')
    await sweep('2026-01-09T12:00:00.000Z')
    await sweep('2026-01-09T12:00:01.000Z')
    expect(await runsOf(pipelineId)).toHaveLength(1)
    expect(await nextOf(pipelineId)).toEqual(['2026-01-10T05:30:00.000Z'])
  })

  test('whose run is rejected logs the error, and keeps its next time', async () => {
    const pipelineId = await pipelineWith({ ...daily, inputs: { what: '<< trigger.payload.at + 1 >>' } })
    await due(pipelineId, '2026-01-01T05:30:00.000Z')
    await sweep('2026-01-01T05:30:00.000Z')
    expect(await runsOf(pipelineId)).toEqual([])
    expect(warnings.join()).toContain(pipelineId)
    expect(await nextOf(pipelineId)).toEqual(['2026-01-02T05:30:00.000Z'])
  })

  test('belongs to the latest version of its pipeline, and is deleted with it', async () => {
    const pipelineId = await pipelineWith(daily, { ...daily, cron: '0 * * * *' })
    expect(await nextOf(pipelineId)).toHaveLength(2)
    await addVersion(pipelineId, { type: 'manual' })
    expect(await nextOf(pipelineId)).toEqual([])
    await addVersion(pipelineId, daily)
    expect(await nextOf(pipelineId)).toHaveLength(1)
    await client.ask('DELETE', `/pipelines/${pipelineId}`)
    expect(await nextOf(pipelineId)).toEqual([])
  })

  test('is not changed by a dry run', async () => {
    const pipelineId = await pipelineWith(daily)
    const data = { pipelineId, config: { steps }, dryRun: true }
    await client.done('POST', '/pipeline-versions', { data })
    expect(await nextOf(pipelineId)).toHaveLength(1)
  })
})

describe('the end of another pipeline', () => {
  const end = (run: PipelineRunRow, status: PipelineRunRow['status']) =>
    world.db.transaction((tx) => startDependents(tx, { ...run, status }, { log, limits: new Limits({}) }, new Date()))
  const start = async (pipelineId: string) =>
    rowOf((await client.done<PipelineRun>('POST', '/pipeline-runs', { data: { pipelineId, inputs: { what: 1 } } })).id)

  test('starts the pipelines with a matching trigger', async () => {
    const first = await pipelineWith()
    const inputs = { what: '<< trigger.payload.run.inputs.what >>' }
    const next = await pipelineWith({ type: 'pipeline', pipeline_id: first, inputs })
    const onError = await pipelineWith({ type: 'pipeline', pipeline_id: first, statuses: ['ERROR', 'CANCELLED'] })
    const run = await start(first)
    const told = await end(run, 'SUCCESS')
    const [started, ...more] = await runsOf(next)
    expect(more).toEqual([])
    expect(started).toMatchObject({ id: told[0], inputs: { what: 1 }, triggerSource: 'PIPELINE' })
    expect(await runsOf(onError)).toEqual([])
    await end(run, 'CANCELLED')
    expect([(await runsOf(next)).length, (await runsOf(onError)).length]).toEqual([1, 1])
  })

  test('stops starting runs of pipelines that trigger each other', async () => {
    const [first, second] = [await pipelineWith(), await pipelineWith()]
    await addVersion(first, { type: 'pipeline', pipeline_id: second })
    await addVersion(second, { type: 'pipeline', pipeline_id: first })
    let run: PipelineRunRow | undefined = await start(first)
    let count = 0
    while (run) {
      count += 1
      const [id]: string[] = await end(run, 'SUCCESS')
      run = id === undefined ? undefined : await rowOf(id)
    }
    expect(count).toBe(maxChainLength + 1)
    expect(warnings.join()).toContain('was cut')
  })
})
