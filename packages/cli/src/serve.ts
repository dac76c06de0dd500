import { startServer } from '@sluice/server'
import { type ConfigSources, loadConfig } from '@sluice/server/platform/config/load'
import { createLog } from '@sluice/server/platform/log/log'
import { runUntilStopped } from './run-until-stopped.ts'

/** Runs the service as configured. */
export async function serve(sources: ConfigSources): Promise<void> {
  const config = loadConfig(sources)
  const log = createLog({ level: config.logLevel, format: config.logFormat })
  await runUntilStopped(async () => {
    const server = await startServer(config)
    log.info({ url: server.url, roles: config.roles.join() }, 'Sluice is ready')
    if (server.firstToken !== undefined && config.bootstrapToken === undefined) {
      console.log(firstTokenNotice(server.firstToken))
    }
    return server
  })
}

/** Not through the log, which keeps keys out and is kept by others. */
const firstTokenNotice = (token: string) => `
  The first owner's API key, shown this once:
  ${token}
`
