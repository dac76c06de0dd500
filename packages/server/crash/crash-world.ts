import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SimControl, spawnCloudSim } from '@sluice/cloud-sim'
import { onTestFinished } from 'vitest'
import { runnerImage, runnerPrograms } from '../demo/runners.ts'
import { openCloud } from '../src/cloud/adapter/access.ts'
import { openDataDir } from '../src/platform/data-dir/open.ts'
import { openDatabase } from '../src/platform/db/open.ts'
import { createTestDatabase } from '../src/testing/database.ts'
import { keptForDays, World } from '../src/testing/world.ts'
import { ServiceProcess } from './service-process.ts'

/** While the world is set up, the services of the cloud come to life this fast. Cloud seconds per second. */
const settingUp = 6_000

export type CrashWishes<People> = {
  /** Cloud seconds per second, once the world is set up. */
  speed: number
  /** Who and what there is in the database and the cloud before the service starts for the first time. */
  people: (world: World) => Promise<People>
  /** Stands between the service and the cloud: its own address for the cloud's. */
  gateway?: (cloudUrl: string) => Promise<string>
  env?: Record<string, string>
  /** Its database is the embedded one, which dies with the service, even where there is a server to test on. */
  isEmbedded?: boolean
}

/** The service, its simulated cloud and its data, each of which goes on when the service dies. */
export type CrashWorld<People> = { service: ServiceProcess; cloud: SimControl; people: People }

/** In the service's own data directory, with which it goes. */
const embedded = { url: undefined, drop: async () => {} }

/**
 * Sets a world up for the present test, and starts the service in it. What a failed test leaves is kept for a look. Not
 * for concurrent tests: the end of one would be taken for the end of another.
 */
export async function startCrashWorld<People>(wishes: CrashWishes<People>): Promise<CrashWorld<People>> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-crash-'))
  const database = wishes.isEmbedded ? embedded : await createTestDatabase()
  const sim = await spawnCloudSim({
    checksAnswers: true,
    stateFile: join(directory, 'cloud.db'),
    speed: settingUp,
    operatorSecret: 'operator',
    programs: runnerPrograms,
  })
  const cloud = new SimControl(sim.url)
  await cloud.setTiming(keptForDays)
  process.env.AWS_ACCESS_KEY_ID = 'operator'
  process.env.AWS_SECRET_ACCESS_KEY = 'operator'

  const dataDir = await openDataDir(join(directory, 'data'))
  const { api } = await dataDir.ports(['api'])
  const opened = await openDatabase(database.url ? { url: database.url } : { directory: dataDir.inside('database') })
  const access = openCloud({ endpoint: sim.url })
  const world = new World(`http://127.0.0.1:${api}`, opened.db, sim.url, access, async () => {})
  const people = await wishes.people(world)
  access.close()
  await opened.close()
  dataDir.close()
  await cloud.setSpeed(wishes.speed)

  const service = new ServiceProcess(directory, {
    PORT: String(api),
    SLUICE_CLOUD_ENDPOINT: wishes.gateway ? await wishes.gateway(sim.url) : sim.url,
    SLUICE_RUNNER_IMAGE: runnerImage,
    SLUICE_RUNNER_URL: `http://127.0.0.1:${api}`,
    SLUICE_LOG_LEVEL: 'info',
    SLUICE_LOG_FORMAT: 'json',
    SLUICE_POLL_MIN_MS: '200',
    // Its load asks faster than anybody.
    SLUICE_LIMIT_REQUESTS: '1000000',
    SLUICE_LIMIT_KEY_REQUESTS: '1000000',
    SLUICE_POLL_MAX_MS: '2000',
    AWS_ACCESS_KEY_ID: 'operator',
    AWS_SECRET_ACCESS_KEY: 'operator',
    ...(database.url === undefined ? {} : { DATABASE_URL: database.url }),
    ...wishes.env,
  })
  service.start()
  onTestFinished(async ({ task }) => {
    await service.kill('service and engine')
    await sim.stop()
    await database.drop()
    if (task.result?.state === 'fail') console.log(`what the service wrote: ${service.logFile}`)
    else await rm(directory, { recursive: true, force: true })
  })
  return { service, cloud, people }
}
