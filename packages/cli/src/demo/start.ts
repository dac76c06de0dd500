import { join } from 'node:path'
import { spawnCloudSim } from '@sluice/cloud-sim'
import { type Server, startServer } from '@sluice/server'
import { type ConfigSources, loadConfig } from '@sluice/server/platform/config/load'
import { openDataDir } from '@sluice/server/platform/data-dir/open'
import { runUntilStopped } from '../run-until-stopped.ts'

/** What takes an hour in the cloud takes a minute here. */
const simulatedSpeed = 60

/** Runs the service against a simulated cloud, with an example organization to look at. */
export async function startDemo(sources: ConfigSources): Promise<void> {
  const config = loadConfig(sources)
  await runUntilStopped(async () => {
    useDummyCredentials()
    const cloud = await startCloud(join(config.dataDir, 'cloud'))
    const server = await startServer({ ...config, cloudEndpoint: cloud.url })
    console.log(welcome(server, cloud.url))
    return {
      async stop() {
        await server.stop()
        await cloud.stop()
      },
    }
  })
}

/** The simulated cloud outlives no start of ours, but its state and its address do: services keep running in it. */
async function startCloud(directory: string) {
  const dataDir = await openDataDir(directory)
  const { cloud: port } = await dataDir.ports(['cloud'])
  const cloud = await spawnCloudSim({ port, stateFile: dataDir.inside('state.json'), speed: simulatedSpeed })
  return {
    url: cloud.url,
    async stop() {
      await cloud.stop()
      dataDir.close()
    },
  }
}

/** The simulated cloud asks for credentials as the real one does, and takes any. Real ones must not be sent to it. */
function useDummyCredentials(): void {
  process.env.AWS_ACCESS_KEY_ID = 'demo'
  process.env.AWS_SECRET_ACCESS_KEY = 'demo'
  process.env.AWS_REGION ??= 'eu-west-1'
  delete process.env.AWS_SESSION_TOKEN
  delete process.env.AWS_PROFILE
}

const welcome = ({ url, firstToken }: Server, cloudUrl: string) => `
  Sluice is ready at ${url}
  The cloud is simulated at ${cloudUrl}, ${simulatedSpeed} times as fast as the real one.
${firstToken === undefined ? '' : `\n  API key of the owner, shown this once: ${firstToken}\n`}
  Ctrl-C stops it, npm start goes on where it was, npm run reset starts over.
`
