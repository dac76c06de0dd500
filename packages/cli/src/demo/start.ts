import { SimControl, spawnCloudSim } from '@sluice/cloud-sim'
import { startServer } from '@sluice/server'
import { startGitHost } from '@sluice/server/demo/git-host'
import { newestRoleTags } from '@sluice/server/demo/organization'
import { runnerImage, runnerPrograms } from '@sluice/server/demo/runners'
import { seedDemo } from '@sluice/server/demo/seed'
import { type ConfigSources, loadConfig } from '@sluice/server/platform/config/load'
import { type DataDir, openDataDir } from '@sluice/server/platform/data-dir/open'
import { type RunningService, runUntilStopped } from '../run-until-stopped.ts'
import { type DemoSecrets, loadDemoSecrets } from './facts.ts'
import { createStartProgress } from './start-progress.ts'
import { welcome } from './welcome.ts'

/** Speed of the simulated cloud: an hour takes a minute. */
const simulatedSpeed = 60

const owner = { email: 'demo@sluice.example', fullName: 'Demo Owner' }
const role = 'arn:aws:iam::111122223333:role/sluice'
const stack = 'arn:aws:cloudformation:us-east-1:111122223333:stack/sluice-main/6b1f9c2e-0000-4000-8000-0de300000001'

/** Starts the service with a simulated cloud and an example organization. */
export async function startDemo({ env, ...sources }: ConfigSources): Promise<void> {
  // The log contains only warnings by default, because the console shows all activity.
  const config = loadConfig({ ...sources, env: { SLUICE_LOG_LEVEL: 'warn', ...env } })
  useDummyCredentials()
  const onStartStep = createStartProgress()
  await runUntilStopped(
    async () => {
      onStartStep(`Opening the data directory ${config.dataDir}`)
      const dataDir = await openDataDir(config.dataDir)
      const parts: RunningService[] = [{ stop: async () => dataDir.close() }]
      const stop = async () => {
        for (const part of parts.splice(0).reverse()) await part.stop()
      }
      try {
        const facts = await loadDemoSecrets(dataDir.inside('demo.json'), config.bootstrapToken)
        const { cloud: port, git: gitPort, ...free } = await dataDir.ports(['cloud', 'git', 'api'])
        const apiPort = config.port || free.api
        const firstOrganization = { name: 'Demo', givenId: 'demo', owner: { ...owner, password: facts.password } }
        // A configured Git host replaces the demo's own.
        const hasGitHost = env.SLUICE_GITLAB_URL === undefined
        const git = { port: gitPort, directory: dataDir.inside('greeting.git'), password: facts.gitPassword }
        const gitHost = hasGitHost ? await startGitHost(git) : undefined
        if (gitHost) parts.push(gitHost)
        // Tasks of the simulated cloud are local processes.
        const runners = { runnerImage, runnerUrl: `http://127.0.0.1:${apiPort}` }
        const demoConfig = {
          ...config,
          port: apiPort,
          cloudEndpoint: `http://127.0.0.1:${port}`,
          ...(gitHost && { gitlabUrl: gitHost.url }),
          bootstrapToken: facts.token,
          signInNote: config.signInNote ?? 'The demo prints its email and password when it starts.',
          ...runners,
        }
        let isPrepared = false
        const options = { firstOrganization, dataDir, isPrepared: () => isPrepared, onStartStep }
        onStartStep('Starting the simulated cloud')
        const starting = [startCloud(dataDir, port), startServer(demoConfig, options)] as const
        // Waits for both, so that whichever started is stopped if the other failed.
        const [startedCloud, startedServer] = await Promise.allSettled(starting)
        if (startedCloud.status === 'fulfilled') parts.push(startedCloud.value)
        if (startedServer.status === 'fulfilled') parts.push(startedServer.value)
        const [cloud, server] = await Promise.all(starting)
        if (server.url === undefined) throw new Error('The demo needs the role api.')
        onStartStep('Preparing the example organization')
        const host = gitHost && { url: gitHost.url, webhookSecret: facts.webhookSecret }
        const seeded = await seedDemo(server.db, { ...demoCloud(cloud.url, facts), ...runners }, host)
        const { cloudAccountId, codeSourceId } = seeded
        await deliverEvents(cloud.url, `${server.url}/cloud-accounts/${cloudAccountId}/events`, facts)
        if (codeSourceId !== undefined) {
          const { webhookSecret: secret } = facts
          gitHost?.tellTo({ url: `${server.url}/webhooks/githostb/${codeSourceId}`, secret })
        }
        isPrepared = true
        const repositoryUrl = codeSourceId && gitHost?.cloneUrl
        const urls = { url: server.url, cloudUrl: cloud.url, repositoryUrl }
        console.log(welcome({ ...urls, speed: simulatedSpeed, owner, facts, ...seeded }))
        return { stop }
      } catch (error) {
        await stop()
        throw error
      }
    },
    { patienceMs: (config.drainSeconds + config.finishSeconds) * 1_000 },
  )
}

/**
 * Starts the simulated cloud. It ends with the demo, but its state and address persist, because services keep running
 * in it.
 */
function startCloud(dataDir: DataDir, port: number) {
  const stateFile = dataDir.inside('cloud.db')
  return spawnCloudSim({ port, stateFile, speed: simulatedSpeed, operatorSecret: 'demo', programs: runnerPrograms })
}

/** Sets dummy credentials, which the simulated cloud accepts, so that real ones are not sent to it. */
function useDummyCredentials(): void {
  process.env.AWS_ACCESS_KEY_ID = 'demo'
  process.env.AWS_SECRET_ACCESS_KEY = 'demo'
  delete process.env.AWS_SESSION_TOKEN
  delete process.env.AWS_PROFILE
}

function demoCloud(endpoint: string, { externalId, eventSecret }: DemoSecrets) {
  const control = new SimControl(endpoint)
  return {
    endpoint,
    control,
    connection: { givenId: 'main', name: 'Main account', roleArn: role, externalId, eventSecret },
    async empty() {
      await control.reset()
      await control.putRole({ roleArn: role, externalId, tags: newestRoleTags(stack) })
    },
  }
}

/** Registers the event delivery at every start, because the service's address may have changed. */
async function deliverEvents(cloudUrl: string, url: string, { eventSecret }: DemoSecrets): Promise<void> {
  const headers = { 'x-sluice-event-secret': eventSecret }
  await new SimControl(cloudUrl).putDelivery({ account: '111122223333', url, headers })
}
