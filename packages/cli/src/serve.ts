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
      console.log(process.stdout.isTTY ? firstTokenNotice(server.firstToken) : wayToFirstToken)
    }
    return server
  })
}

/** To a person at a terminal only: what is written elsewhere is kept as a log, and by others. */
const firstTokenNotice = (token: string) => `
  The first owner's API key, shown this once (sluice owner-token makes another):
  ${token}
`

const wayToFirstToken = `
  The first organization is made. An API key of its owner: sluice owner-token, with the same settings.
`
