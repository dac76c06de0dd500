import { createOutbound } from '@sluice/outbound/send'
import fc from 'fast-check'
import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Cloud } from '../../../cloud/adapter/access.ts'
import { cloudAccounts } from '../../../cloud/cloud-accounts/tables.ts'
import type { PauseStage } from '../../../cloud/facts/pause-stage.ts'
import { auditEvents } from '../../../identity/audit-events/tables.ts'
import { moduleInstances } from '../../../modules/module-instances/tables.ts'
import { eq } from '../../../platform/db/drizzle.ts'
import type { Database, Db } from '../../../platform/db/open.ts'
import type { Message } from '../../../platform/engine/messages.ts'
import type { Timers } from '../../../platform/engine/timers.ts'
import { newId } from '../../../platform/ids.ts'
import { openTestDatabase } from '../../../testing/database.ts'
import { seedInstances, seedOrganization } from '../../../testing/http-world.ts'
import { createMeasure } from '../analysis/measure.ts'
import { loadForWork, saveState } from '../store/store.ts'
import { deployments } from '../store/tables.ts'
import { typeOf } from '../types/deployment-types.ts'
import { releaseOf, World } from '../types/lambda/environment.fixture.ts'
import type { LambdaStep } from '../types/lambda/progress.ts'
import type { LambdaStrategy } from '../types/lambda/release.ts'
import { pace } from '../types/model-environment.fixture.ts'
import { pollWithoutEngine } from './poll.ts'
import { RecentReads } from './recent-reads.ts'
import { toDeployment, type WakeUp } from './wake.ts'

let database: Database
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database?.close())

/** Creates a function release that waits for a user. A poll finds no change. */
const pausedRelease = () =>
  releaseAt('pause', [{ stage: 'PRE_PRODUCTION_TRAFFIC_SHIFT', timeoutInMinutes: 1, timeoutAction: 'ROLLBACK' }])

/** Creates a function release that has received all traffic. A poll finds that its minute of bake time is over. */
async function bakedRelease() {
  const release = await releaseAt('bake', [])
  release.passMinute()
  return release
}

/** Creates a function release that has reached a step, with helpers that act on it. */
async function releaseAt(step: LambdaStep, pauseStages: PauseStage[]) {
  const { db } = database
  const { organizationId } = await seedOrganization(db)
  const [moduleInstanceId = ''] = await seedInstances(db, organizationId, 1)
  const [instance] = await db.select().from(moduleInstances).where(eq(moduleInstances.id, moduleInstanceId))
  if (!instance) throw new Error('there is no instance')
  const cloudAccountId = newId('ca')
  await db.insert(cloudAccounts).values({
    id: cloudAccountId,
    organizationId,
    givenId: cloudAccountId,
    name: 'One',
    status: 'CONNECTED',
    cloudArn: `arn:aws:iam::111122223333:role/${cloudAccountId}`,
    externalId: 'x',
  })
  const strategy: LambdaStrategy = { type: 'all_at_once', bakeTimeInMinutes: 1, pauseStages }
  const world = new World(releaseOf(strategy, { cloudAccountId }))
  world.start()
  while (world.row.progress.step !== step) {
    world.passToWakeUp()
    await world.advance()
    world.cloud.step()
  }
  const id = newId('dep')
  const { projectId, environmentId } = instance
  await db.insert(deployments).values({
    ...world.row,
    id,
    organizationId,
    moduleInstanceId,
    projectId,
    environmentId,
    deploymentType: 'cloud:lambda',
    description: 'One',
    inputs: {},
    triggerSource: 'API',
    resourceName: 'f',
  })
  const clock = () => world.now
  const cloud = { clientsFor: () => ({ lambda: world.cloud.client }) } as unknown as Cloud
  const row = async () => {
    const loaded = await loadForWork(db, id)
    if (!loaded) throw new Error('the release is gone')
    return loaded.row
  }
  return {
    id,
    row,
    process: () => startProcess({ db, id, cloud, clock }),
    passMinute: () => world.wait(1),
    set: (values: Partial<typeof deployments.$inferInsert>) =>
      db.update(deployments).set(values).where(eq(deployments.id, id)),
    /** Queues another deployment of the same instance. */
    async follow(): Promise<void> {
      const { id: _, completedAt: __, ...same } = await row()
      const waiting = { status: 'PENDING', startedAt: null, externalDeploymentId: null } as const
      await db.insert(deployments).values({ ...same, ...waiting, id: newId('dep') })
    },
    /** Returns the audit log entries of the deployment. */
    decided: async () =>
      (await db.select().from(auditEvents).where(eq(auditEvents.resourceId, id))).map(({ action }) => action),
    /** Writes the row as another process could. */
    async write(message: string): Promise<void> {
      const before = await row()
      const saved = await saveState(db, before, typeOf(before).note(before, 'BAKE', clock(), { message }))
      if (!saved) await this.write(message)
    },
    written: async () =>
      ((await row()).data.events ?? []).flatMap(({ stepCode, message }) => (stepCode === 'BAKE' ? [message] : [])),
  }
}

/** Starts a process that polls, with a cache of its own. */
function startProcess({ db, id, cloud, clock }: { db: Db; id: string; cloud: Cloud; clock: () => Date }) {
  let timer: Message | undefined
  let isToFail = false
  const failing = () => {
    if (!isToFail) return clock()
    isToFail = false
    throw new Error('the next look was to fail')
  }
  const timers: Timers = {
    set(message) {
      timer = message
    },
    clear() {},
    stop() {},
  }
  const none = async () => undefined
  const rest = {
    measure: createMeasure(createOutbound()),
    lendAccess: none,
    checkStart: none,
    findMissingParts: async () => ({ images: [], logGroups: [] }),
    log: pino({ level: 'silent' }),
  }
  const sent: string[] = []
  let isEngineThere = true
  const send = async ({ service }: Message) => {
    if (!isEngineThere) throw new Error('the engine is not there')
    const loaded = await loadForWork(db, id)
    sent.push(`${service} of what is ${loaded?.row.status}`)
  }
  const parts = {
    db,
    cloud,
    pace,
    crowdMs: () => 0,
    clock: failing,
    timers,
    readings: new RecentReads(),
    send,
    ...rest,
  }
  const look = pollWithoutEngine(async () => parts)
  return {
    /** Returns the revision that the next poll would start from. */
    knows: () => parts.readings.find(id)?.row.revision,
    tell: (payload: WakeUp) => look(toDeployment(id, payload)),
    timer: () => timer,
    sent,
    loseEngine() {
      isEngineThere = false
    },
    failNext() {
      isToFail = true
    },
    /** Fires the scheduled timer, if there is one. */
    async fire(): Promise<Message | undefined> {
      const fired = timer
      timer = undefined
      return fired && look(fired)
    },
    /** Calls the engine's handler, which ignores outdated timers, writes the row and schedules the next timer. */
    async carryOn({ payload }: Message): Promise<void> {
      const { seq }: WakeUp = payload ?? {}
      const loaded = await loadForWork(db, id)
      if (!loaded || (seq !== undefined && seq !== loaded.row.wakeSeq)) return
      const saved = await saveState(db, loaded.row, loaded.row)
      if (saved) timers.set(toDeployment(id, { seq: saved.wakeSeq }), 1_000)
    },
  }
}

test('a poll starts from the last write of the same process', async () => {
  const release = await pausedRelease()
  const process = release.process()
  expect(await process.tell({ isTold: true })).toBeUndefined()
  expect(process.knows()).toBe(1)
  expect(await process.fire()).toBeUndefined()
  expect(process.knows()).toBe(2)
  expect(await release.row()).toMatchObject({ revision: 2, wakeSeq: 2 })
})

test('a timer from before the last write does nothing', async () => {
  const release = await pausedRelease()
  const process = release.process()
  await process.tell({ isTold: true })
  const old: WakeUp = process.timer()?.payload ?? {}
  await process.tell({ isTold: true })
  expect(await process.tell(old)).toBeUndefined()
  expect(await release.row()).toMatchObject({ revision: 2 })
})

test("a timer from before another process's write does nothing, even if this process does not know the write yet", async () => {
  const release = await pausedRelease()
  const [one, other] = [release.process(), release.process()]
  await one.tell({ isTold: true })
  await release.write('of another')
  await other.tell({})
  const before = await release.row()

  expect(await one.fire()).toBeUndefined()

  expect(await release.row()).toEqual(before)
  expect(one.timer()).toBeUndefined()
  expect(one.knows(), 'what another process writes as well is loaded').toBeUndefined()
  expect(other.timer()?.payload).toEqual({ seq: before.wakeSeq })
})

test('an event of the cloud is applied to the latest row, regardless of its writer', async () => {
  const release = await pausedRelease()
  const process = release.process()
  await process.tell({ isTold: true })
  await release.write('of another')

  expect(await process.tell({ isTold: true })).toBeUndefined()

  expect(await release.written()).toEqual(['of another'])
  expect(process.timer()?.payload).toEqual({ seq: (await release.row()).wakeSeq })
})

test('messages during a poll cause one more poll after it', async () => {
  const release = await pausedRelease()
  const process = release.process()
  await Promise.all(Array.from({ length: 10 }, () => process.tell({ isTold: true })))
  expect(await release.row()).toMatchObject({ revision: 2 })
  expect(process.timer()?.payload).toEqual({ seq: 2 })
})

test('if a poll fails, the messages that arrived meanwhile go to the engine, because it ignores outdated timers', async () => {
  const release = await pausedRelease()
  const process = release.process()
  process.failNext()
  const [left, after] = await Promise.all([process.tell({ seq: 0 }), process.tell({ isTold: true })])
  expect(left?.payload).toEqual({ isTold: true })
  expect(after).toBeUndefined()
  process.failNext()
  await expect(process.tell({ isTold: true })).rejects.toThrow('was to fail')
})

test('a poll ends a successful release, and tells the engine in advance to follow up on the end', async () => {
  const release = await bakedRelease()
  const process = release.process()
  expect(await process.tell({ isTold: true })).toBeUndefined()
  expect(await release.row()).toMatchObject({ status: 'SUCCESS', wakeAt: null })
  expect(await release.decided()).toEqual(['deployments.end'])
  expect(process.sent).toEqual(['deployment-resources of what is IN_PROGRESS'])
  expect(await process.tell({ isTold: true })).toBeUndefined()
  expect(process.sent).toHaveLength(1)
})

test('a successful release is ended once, regardless of how many processes poll it', async () => {
  const release = await bakedRelease()
  const processes = [release.process(), release.process(), release.process()]
  await Promise.all(processes.map((process) => process.tell({ isTold: true })))
  expect((await release.row()).status).toBe('SUCCESS')
  expect(await release.decided()).toEqual(['deployments.end'])
})

test('if another deployment of the instance is queued, the engine is told to start it', async () => {
  const release = await bakedRelease()
  await release.follow()
  expect(await release.process().tell({ isTold: true })).toEqual(toDeployment(release.id))
  expect((await release.row()).status).toBe('SUCCESS')
})

test('if the engine is unavailable, no poll ends a release', async () => {
  const release = await bakedRelease()
  const process = release.process()
  process.loseEngine()
  await expect(process.tell({ isTold: true })).rejects.toThrow('the engine is not there')
  expect((await release.row()).status).toBe('IN_PROGRESS')
  expect(await release.decided()).toEqual([])
})

test('the end of a rollback, which may create a hold, is left to the engine', async () => {
  const release = await bakedRelease()
  await release.set({ triggerSource: 'ROLLBACK' })
  const message = toDeployment(release.id, { isTold: true })
  const process = release.process()
  expect(await process.tell({ isTold: true })).toEqual(message)
  expect(process.sent).toEqual([])
  expect((await release.row()).status).toBe('IN_PROGRESS')
})

/** Each of these happens in one of two processes. */
const happenings = fc.array(
  fc.record({ where: fc.constantFrom(0, 1), what: fc.constantFrom('fires', 'is told', 'is written') }),
  { minLength: 1, maxLength: 3 },
)

test('no write is lost and the latest row is polled, whatever two processes do concurrently', async () => {
  const property = fc.asyncProperty(fc.array(happenings, { minLength: 2, maxLength: 8 }), async (all) => {
    const release = await pausedRelease()
    const processes = [release.process(), release.process()]
    const written: string[] = []
    for (const atOnce of all) {
      const left = atOnce.map(async ({ where, what }) => {
        const process = processes[where]
        if (what === 'fires') return process?.fire()
        if (what === 'is told') return process?.tell({ isTold: true })
        const message = `the ${written.length}th`
        written.push(message)
        await release.write(message)
        return process?.tell({})
      })
      for (const message of await Promise.all(left)) if (message) await processes[0]?.carryOn(message)
      const { wakeSeq } = await release.row()
      const timers = processes.map((one) => one.timer()?.payload)
      if (wakeSeq > 0) expect(timers, 'a timer for the last write').toContainEqual({ seq: wakeSeq })
    }
    expect((await release.written()).toSorted()).toEqual(written.toSorted())
  })
  await fc.assert(property, { numRuns: 15 })
})
