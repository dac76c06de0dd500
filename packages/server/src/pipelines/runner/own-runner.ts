import { resolve } from 'node:path'
import { parseLoopbackEndpoint } from '@sluice/runner/isolation/network'
import type { Config } from '../../platform/config/settings.ts'
import type { DataDir } from '../../platform/data-dir/open.ts'
import type { App } from '../../platform/http/app.ts'
import { listenWithoutTrustedProxies, trustsThisMachine } from '../../platform/http/connections/untrusting-listener.ts'

/** Returns the settings of a runner that the server starts. */
export const runnerSettings = (config: Config, dataDir: DataDir) => ({
  SLUICE_RUNNER_DIR: dataDir.inside('runner'),
  SLUICE_RUNNER_CAPACITY: config.runnerCapacity?.toString(),
  SLUICE_IAC_TOOLS_DIR: config.iacToolsDir && resolve(config.iacToolsDir),
  SLUICE_IAC_CLI_CONFIG: config.iacCliConfig && resolve(config.iacCliConfig),
  SLUICE_RUNNER_ENDPOINTS: runnerEndpoints(config),
  SLUICE_OUTBOUND_ALLOW: config.outboundAllow?.join(','),
  // Programs in the network of a trusted proxy could forge client addresses.
  SLUICE_RUNNER_NETWORK:
    process.env.SLUICE_RUNNER_NETWORK ?? (trustsThisMachine(config.trustedProxies ?? []) ? 'own' : undefined),
})

/**
 * Opens the port for runners and programs of steps if necessary: if the operator sets one, or if the embedded runner is
 * used with a trusted proxy. The port stays the same after a restart, because programs keep running.
 */
export async function openRunnerPort(app: App, config: Config, dataDir: DataDir) {
  const { runnerPort, host, roles, trustedProxies = [] } = config
  if (runnerPort !== undefined) return listenWithoutTrustedProxies(app, { port: runnerPort, host })
  if (trustedProxies.length === 0 || !roles.includes('runner')) return undefined
  const { runners: port } = await dataDir.ports(['runners'])
  return listenWithoutTrustedProxies(app, { port, host: '127.0.0.1' })
}

/** Returns the endpoints of a cloud and Git hosts on this machine, which programs call as well. */
function runnerEndpoints({ cloudEndpoint, githubUrl, gitlabUrl }: Config): string | undefined {
  const own = [cloudEndpoint, githubUrl, gitlabUrl].map((url) => url && parseLoopbackEndpoint(url))
  const listed = [process.env.SLUICE_RUNNER_ENDPOINTS, ...own].filter(Boolean).join(',')
  return listed === '' ? undefined : listed
}
