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
import { loadForWork, saveStanding } from '../store/store.ts'
import { deployments } from '../store/tables.ts'
import { kindOf } from '../types/deployment-types.ts'
import { releaseOf, World } from '../types/lambda/environment.fixture.ts'
import type { LambdaStep } from '../types/lambda/progress.ts'
import type { LambdaStrategy } from '../types/lambda/release.ts'
import { pace } from '../types/model-environment.fixture.ts'
import { lookAlone } from './poll.ts'
import { RecentReadings } from './recent-reads.ts'
import { toDeployment, type WakeUp } from './wake.ts'

let database: Database
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database?.close())

/** A function's release that waits for a person, of which a look finds that it still does. */
const pausedRelease = () =>
  releaseAt('pause', [{ stage: 'PRE_PRODUCTION_TRAFFIC_SHIFT', timeoutInMinutes: 1, timeoutAction: 'ROLLBACK' }])

/** A function's release that has got all traffic, of which a look finds that its minute of baking is over. */
async function bakedRelease() {
  const release = await releaseAt('bake', [])
  release.passMinute()
  return release
}

/** A function's release as far as a step, and what is done to it. */
async function releaseAt(step: LambdaStep, pauseStages: PauseStage[]) {
  const { db } = database
  const { organizationId } = await seedOrganization(db)
  const [moduleInstanceId = ''] = await seedInstances(db, organizationId, 1)
  const [instance] = await db.select().from(moduleInstances).where(eq(moduleInstances.id, moduleInstanceId))
  if (!instance) throw new Error('there is no instance')
  const cloudAccountId = newId('ca')
  await db.insert(cloudAccounts).values({
    ...{ id: cloudAccountId, organizationId, givenId: cloudAccountId, name: 'One', status: 'CONNECTED' },
    ...{ cloudArn: `arn:aws:iam::111122223333:role/${cloudAccountId}`, externalId: 'x' },
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
    ...{ ...world.row, id, organizationId, moduleInstanceId, projectId, environmentId },
    ...{ deploymentType: 'cloud:lambda', description: 'One', inputs: {}, triggerSource: 'API', resourceName: 'f' },
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
    /** Another one of the same instance waits for its turn. */
    async follow(): Promise<void> {
      const { id: _, completedAt: __, ...same } = await row()
      const waiting = { status: 'PENDING', startedAt: null, externalDeploymentId: null } as const
      await db.insert(deployments).values({ ...same, ...waiting, id: newId('dep') })
    },
    /** What the audit log has of it. */
    decided: async () =>
      (await db.select().from(auditEvents).where(eq(auditEvents.resourceId, id))).map(({ action }) => action),
    /** Somebody writes something, in whichever process. */
    async write(message: string): Promise<void> {
      const before = await row()
      const saved = await saveStanding(db, before, kindOf(before).note(before, 'BAKE', clock(), { message }))
      if (!saved) await this.write(message)
    },
    written: async () =>
      ((await row()).data.events ?? []).flatMap(({ stepCode, message }) => (stepCode === 'BAKE' ? [message] : [])),
  }
}

/** A process that looks: what it knows is its own. */
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
  const rest = { sendOutbound: createOutbound(), lendAccess: none, checkStart: none, log: pino({ level: 'silent' }) }
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
    readings: new RecentReadings(),
    send,
    ...rest,
  }
  const look = lookAlone(async () => parts)
  return {
    /** What it would start from next. */
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
    /** The timer that is set, if one is, fires. */
    async fire(): Promise<Message | undefined> {
      const fired = timer
      timer = undefined
      return fired && look(fired)
    },
    /** A call of the engine, which heeds no timer from before the last write, writes and sets the next one. */
    async carryOn({ payload }: Message): Promise<void> {
      const { seq }: WakeUp = payload ?? {}
      const loaded = await loadForWork(db, id)
      if (!loaded || (seq !== undefined && seq !== loaded.row.wakeSeq)) return
      const saved = await saveStanding(db, loaded.row, loaded.row)
      if (saved) timers.set(toDeployment(id, { seq: saved.wakeSeq }), 1_000)
    },
  }
}

test('a look starts from what the same process wrote last', async () => {
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

test('a timer from before another process wrote does nothing, though this one does not know yet', async () => {
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

test('what the cloud tells is looked at by the latest, whoever wrote it', async () => {
  const release = await pausedRelease()
  const process = release.process()
  await process.tell({ isTold: true })
  await release.write('of another')

  expect(await process.tell({ isTold: true })).toBeUndefined()

  expect(await release.written()).toEqual(['of another'])
  expect(process.timer()?.payload).toEqual({ seq: (await release.row()).wakeSeq })
})

test('what comes while a look is under way is one more look after it', async () => {
  const release = await pausedRelease()
  const process = release.process()
  await Promise.all(Array.from({ length: 10 }, () => process.tell({ isTold: true })))
  expect(await release.row()).toMatchObject({ revision: 2 })
  expect(process.timer()?.payload).toEqual({ seq: 2 })
})

test('where a look fails, the engine is told what came meanwhile, since it heeds no old timer', async () => {
  const release = await pausedRelease()
  const process = release.process()
  process.failNext()
  const [left, after] = await Promise.all([process.tell({ seq: 0 }), process.tell({ isTold: true })])
  expect(left?.payload).toEqual({ isTold: true })
  expect(after).toBeUndefined()
  process.failNext()
  await expect(process.tell({ isTold: true })).rejects.toThrow('was to fail')
})

test('a release that has succeeded is ended by the look, which tells the engine before of what follows its end', async () => {
  const release = await bakedRelease()
  const process = release.process()
  expect(await process.tell({ isTold: true })).toBeUndefined()
  expect(await release.row()).toMatchObject({ status: 'SUCCESS', wakeAt: null })
  expect(await release.decided()).toEqual(['deployments.end'])
  expect(process.sent).toEqual(['deployment-resources of what is IN_PROGRESS'])
  expect(await process.tell({ isTold: true })).toBeUndefined()
  expect(process.sent).toHaveLength(1)
})

test('a release that has succeeded is ended once, whoever sees it', async () => {
  const release = await bakedRelease()
  const processes = [release.process(), release.process(), release.process()]
  await Promise.all(processes.map((process) => process.tell({ isTold: true })))
  expect((await release.row()).status).toBe('SUCCESS')
  expect(await release.decided()).toEqual(['deployments.end'])
})

test('where another one of the instance waits, the engine is told to let it start', async () => {
  const release = await bakedRelease()
  await release.follow()
  expect(await release.process().tell({ isTold: true })).toEqual(toDeployment(release.id))
  expect((await release.row()).status).toBe('SUCCESS')
})

test('without the engine no look ends a release, and it is not over for anybody', async () => {
  const release = await bakedRelease()
  const process = release.process()
  process.loseEngine()
  await expect(process.tell({ isTold: true })).rejects.toThrow('the engine is not there')
  expect((await release.row()).status).toBe('IN_PROGRESS')
  expect(await release.decided()).toEqual([])
})

test('the end of a rollback, which a hold may follow, is left to the engine', async () => {
  const release = await bakedRelease()
  await release.set({ triggerSource: 'ROLLBACK' })
  const message = toDeployment(release.id, { isTold: true })
  const process = release.process()
  expect(await process.tell({ isTold: true })).toEqual(message)
  expect(process.sent).toEqual([])
  expect((await release.row()).status).toBe('IN_PROGRESS')
})

/** Each in one of two processes. */
const happenings = fc.array(
  fc.record({ where: fc.constantFrom(0, 1), what: fc.constantFrom('fires', 'is told', 'is written') }),
  { minLength: 1, maxLength: 3 },
)

test('whatever two processes do at the same time, nothing written is lost, and somebody looks at the latest', async () => {
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
