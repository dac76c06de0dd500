import { join } from 'node:path'
import { type RunningSim, SimControl, type SpawnOptions, spawnCloudSim } from '@sluice/cloud-sim'
import { runnerImage, runnerPrograms } from '../demo/runners.ts'
import { openCloud } from '../src/cloud/adapter/access.ts'
import { type DatabaseLocation, openDatabase } from '../src/platform/db/open.ts'
import { keptForDays, World } from '../src/testing/world.ts'

/** While the world is set up, the services of the cloud come to life this fast. Cloud seconds per second. */
const settingUp = 6_000

/** Who and what there is in the database and the cloud before any service starts. */
export type SceneWishes<People> = {
  /** What must outlive the processes lies here. */
  directory: string
  database: DatabaseLocation
  /** Where the API will be. */
  apiUrl: string
  /** Cloud seconds per second, once the world is set up. */
  speed: number
  people: Settling<People>
}

/** What there is to settle in: both are empty. */
export type Place = { database: DatabaseLocation; apiUrl: string; cloudUrl: string }

/** Has people come into a place: through our own code, or in some other way. */
export type Settling<People> = ((world: World) => Promise<People>) | { elsewhere: (place: Place) => Promise<People> }

export type Scene<People> = { sim: RunningSim; cloud: SimControl; people: People }

/** The simulated cloud, as it is started each time, on what it keeps there. */
export const simIn = (directory: string, options: Pick<SpawnOptions, 'port' | 'speed'>): Promise<RunningSim> =>
  spawnCloudSim({
    checksAnswers: true,
    stateFile: join(directory, 'cloud.db'),
    operatorSecret: 'operator',
    programs: runnerPrograms,
    ...options,
  })

/** The simulated cloud, and people in it and in the database. */
export async function setScene<People>(wishes: SceneWishes<People>): Promise<Scene<People>> {
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

/** How a service is set that lives in such a scene, and is asked faster than anybody would. */
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
  AWS_ACCESS_KEY_ID: 'operator',
  AWS_SECRET_ACCESS_KEY: 'operator',
})
