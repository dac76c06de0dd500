import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SimControl } from '@sluice/cloud-sim'
import { onTestFinished } from 'vitest'
import { openDataDir } from '../src/platform/data-dir/open.ts'
import { createTestDatabase } from '../src/testing/database.ts'
import { takeFatalError } from './fatal-error.ts'
import { type SceneOptions, sceneSettings, setScene } from './scene.ts'
import { ServiceProcess } from './service-process.ts'

export type CrashOptions<People> = Pick<SceneOptions<People>, 'speed' | 'people'> & {
  /** Opens a proxy between the service and the cloud, and returns its address. */
  gateway?: (cloudUrl: string) => Promise<string>
  env?: Record<string, string>
  /** Whether to use the embedded database, which dies with the service, even if there is a database server. */
  isEmbedded?: boolean
}

/** Service, simulated cloud and data. Cloud and data survive the death of the service. */
export type CrashWorld<People> = {
  service: ServiceProcess
  cloud: SimControl
  people: People
  /** Address of the database on a server, if it is not embedded. */
  databaseUrl: string | undefined
}

/** Embedded database in the service's data directory, which is removed with it. */
const embedded = { url: undefined, drop: async () => {} }

/**
 * Creates the environment of the current test and starts the service. Data of a failed test is kept. Not for concurrent
 * tests, because errors belong to the test that is running.
 */
export async function startCrashWorld<People>(wishes: CrashOptions<People>): Promise<CrashWorld<People>> {
  takeFatalError() // of unfinished work of a previous test that failed
  const directory = await mkdtemp(join(tmpdir(), 'sluice-crash-'))
  const { url, drop } = wishes.isEmbedded ? embedded : await createTestDatabase()
  const dataDir = await openDataDir(join(directory, 'data'))
  const { api } = await dataDir.ports(['api'])
  const apiUrl = `http://127.0.0.1:${api}`
  const database = url ? { url } : { directory: dataDir.inside('database') }
  const { sim, cloud, people } = await setScene({ ...wishes, directory, database, apiUrl })
  dataDir.close()

  const cloudUrl = wishes.gateway ? await wishes.gateway(sim.url) : sim.url
  const service = new ServiceProcess(directory, {
    PORT: String(api),
    ...sceneSettings(cloudUrl, apiUrl),
    ...(url === undefined ? {} : { DATABASE_URL: url }),
    ...wishes.env,
  })
  service.start()
  onTestFinished(async ({ task }) => {
    const failure = takeFatalError()
    service.retire()
    await service.kill('service and engine')
    await sim.stop()
    await drop()
    if (task.result?.state === 'fail')
      return console.log(failure?.message ?? `what the service wrote: ${service.logFile}`)
    if (failure) throw failure // no wait has thrown it
    await rm(directory, { recursive: true, force: true })
  })
  return { service, cloud, people, databaseUrl: url }
}
