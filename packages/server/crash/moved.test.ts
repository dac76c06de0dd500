import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { backUp, restore } from '../src/interface/moving/backup.ts'
import { moveDatabase } from '../src/interface/moving/move.ts'
import { createEmptyDatabase } from '../src/testing/database.ts'
import { blueGreen, pausing } from '../src/testing/strategies.ts'
import type { World } from '../src/testing/world.ts'
import { type CrashWorld, startCrashWorld } from './crash-world.ts'
import { expectEachEffectOnce } from './effects.ts'

test('a paused release on the embedded database continues, each effect once, after a move to a database server', async ({
  skip,
}) => {
  skip(process.env.TEST_DATABASE_URL === undefined, 'skipped: PostgreSQL')
  const world = await startCrashWorld({ speed: 60, people: settle, isEmbedded: true })
  const { service, people } = world
  const { organization, moduleInstanceId } = people
  const { url = '', drop } = await createEmptyDatabase()
  onTestFinished(drop)
  await service.ready()
  const { id } = await organization.deploy(moduleInstanceId)
  const hookId = await organization.untilPaused(id)
  await service.stop()

  await moveDatabase(join(service.dataDir, 'database'), { url })
  await service.forgetEngine()
  service.start({ DATABASE_URL: url })
  await expectItGoesOn(world, { id, hookId })
  await service.kill('service and engine') // before its database is removed
})

test('a paused release in a backup continues, each effect once, after the backup is restored', async ({ skip }) => {
  skip(process.env.TEST_DATABASE_URL === undefined, 'skipped: PostgreSQL')
  const world = await startCrashWorld({ speed: 60, people: settle })
  const { service, databaseUrl = '', people } = world
  const { url = '', drop } = await createEmptyDatabase()
  onTestFinished(drop)
  const file = join(service.dataDir, 'sluice.dump')
  await service.ready()
  const { id } = await people.organization.deploy(people.moduleInstanceId)
  const hookId = await people.organization.untilPaused(id)
  await backUp(databaseUrl, file)
  await service.kill('service and engine')

  await restore(file, url)
  await service.forgetEngine()
  service.start({ DATABASE_URL: url })
  await expectItGoesOn(world, { id, hookId })
  await service.kill('service and engine') // before its database is removed
})

type Paused = { id: string; hookId: string }

async function expectItGoesOn({ service, cloud, people }: CrashWorld<People>, { id, hookId }: Paused) {
  const { organization } = people
  await service.ready()
  expect(await organization.get(id)).toMatchObject({ status: 'IN_PROGRESS' })
  await organization.continue(id, hookId)
  expect(await organization.untilStatus(id, 'SUCCESS', 'ERROR')).toMatchObject({ status: 'SUCCESS' })
  await expectEachEffectOnce(cloud, [await organization.get(id)])
  expect(service.ownEnds).toEqual([])
}

type People = Awaited<ReturnType<typeof settle>>

async function settle(world: World) {
  const organization = await world.organization({ delivery: false })
  const { moduleInstanceId } = await organization.service(pausing(blueGreen, ['POST_TEST_TRAFFIC_SHIFT']))
  return { organization, moduleInstanceId }
}
