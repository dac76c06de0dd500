import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SimControl } from '@sluice/cloud-sim'
import { onTestFinished } from 'vitest'
import { openDataDir } from '../src/platform/data-dir/open.ts'
import { createTestDatabase } from '../src/testing/database.ts'
import { takeFatalError } from './fatal-error.ts'
import { type SceneWishes, sceneSettings, setScene } from './scene.ts'
import { ServiceProcess } from './service-process.ts'

export type CrashWishes<People> = Pick<SceneWishes<People>, 'speed' | 'people'> & {
  /** Stands between the service and the cloud: its own address for the cloud's. */
  gateway?: (cloudUrl: string) => Promise<string>
  env?: Record<string, string>
  /** Its database is the embedded one, which dies with the service, even where there is a server to test on. */
  isEmbedded?: boolean
}

/** The service, its simulated cloud and its data, each of which goes on when the service dies. */
export type CrashWorld<People> = {
  service: ServiceProcess
  cloud: SimControl
  people: People
  /** Where its database is on a server. */
  databaseUrl: string | undefined
}

/** In the service's own data directory, with which it goes. */
const embedded = { url: undefined, drop: async () => {} }

/**
 * Sets a world up for the present test, and starts the service in it. What a failed test leaves is kept for a look. Not
 * for concurrent tests: the end of one would be taken for the end of another.
 */
export async function startCrashWorld<People>(wishes: CrashWishes<People>): Promise<CrashWorld<People>> {
  takeFatalError() // of work that a failed test before this one left behind
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
    if (failure) throw failure // no wait has noticed it
    await rm(directory, { recursive: true, force: true })
  })
  return { service, cloud, people, databaseUrl: url }
}
