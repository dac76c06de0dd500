import { join } from 'node:path'
import { type RunningSim, SimControl, type SpawnOptions, spawnCloudSim } from '@sluice/cloud-sim'
import { runnerImage, runnerPrograms } from '../demo/runners.ts'
import { openCloud } from '../src/cloud/adapter/access.ts'
import { type DatabaseLocation, openDatabase } from '../src/platform/db/open.ts'
import { keptForDays, World } from '../src/testing/world.ts'

/** Speed of the cloud during the setup, in cloud seconds per second. */
const settingUp = 6_000

/** Records in the database and resources in the cloud before a service starts. */
export type SceneOptions<People> = {
  /** Directory for data that must survive the processes. */
  directory: string
  database: DatabaseLocation
  /** Future address of the API. */
  apiUrl: string
  /** Speed of the cloud after the setup, in cloud seconds per second. */
  speed: number
  people: Settling<People>
}

/** Empty database and empty cloud. */
export type Place = { database: DatabaseLocation; apiUrl: string; cloudUrl: string }

/** Creates organizations: by the present code, or in another way. */
export type Settling<People> = ((world: World) => Promise<People>) | { elsewhere: (place: Place) => Promise<People> }

export type Scene<People> = { sim: RunningSim; cloud: SimControl; people: People }

/** Starts the simulated cloud with its state in the directory. */
export const simIn = (directory: string, options: Pick<SpawnOptions, 'port' | 'speed'>): Promise<RunningSim> =>
  spawnCloudSim({
    checksAnswers: true,
    stateFile: join(directory, 'cloud.db'),
    operatorSecret: 'operator',
    programs: runnerPrograms,
    ...options,
  })

/** Starts the simulated cloud, and creates organizations in it and in the database. */
export async function setScene<People>(wishes: SceneOptions<People>): Promise<Scene<People>> {
  const sim = await simIn(wishes.directory, { speed: settingUp })
  const cloud = new SimControl(sim.url)
  await cloud.setTiming(keptForDays)
  process.env.AWS_ACCESS_KEY_ID = 'operator'
  process.env.AWS_SECRET_ACCESS_KEY = 'operator'

  const people = await settle(wishes.people, { ...wishes, cloudUrl: sim.url })
  await cloud.setSpeed(wishes.speed)
  return { sim, cloud, people }
}

async function settle<People>(people: Settling<People>, place: Place): Promise<People> {
  if (typeof people !== 'function') return people.elsewhere(place)
  const opened = await openDatabase(place.database)
  const access = openCloud({ endpoint: place.cloudUrl })
  const settled = await people(new World(place.apiUrl, opened.db, place.cloudUrl, access, async () => {}))
  access.close()
  await opened.close()
  return settled
}

/** Returns the settings of a service in such an environment, with limits above those of normal users. */
export const sceneSettings = (cloudUrl: string, apiUrl: string): Record<string, string> => ({
  SLUICE_CLOUD_ENDPOINT: cloudUrl,
  SLUICE_RUNNER_IMAGE: runnerImage,
  SLUICE_RUNNER_URL: apiUrl,
  SLUICE_LOG_LEVEL: 'info',
  SLUICE_LOG_FORMAT: 'json',
  SLUICE_POLL_MIN_MS: '200',
  SLUICE_POLL_MAX_MS: '2000',
  SLUICE_LIMIT_REQUESTS: '1000000',
  SLUICE_LIMIT_KEY_REQUESTS: '1000000',
  SLUICE_ADMISSION_TARGET_MS: '60000',
  AWS_ACCESS_KEY_ID: 'operator',
  AWS_SECRET_ACCESS_KEY: 'operator',
})
