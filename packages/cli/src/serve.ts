import { type Server, startServer } from '@sluice/server'
import { ConfigError, type ConfigSources, loadConfig } from '@sluice/server/platform/config/load'
import { createLog } from '@sluice/server/platform/log/log'
import { runUntilStopped } from './run-until-stopped.ts'

/** Starts the service with the configuration. */
export async function serve(sources: ConfigSources): Promise<void> {
  const config = loadConfig(sources)
  const log = createLog({ level: config.logLevel, format: config.logFormat })
  await runUntilStopped(
    async () => {
      const server = await startServer(config)
      // At a terminal, SIGHUP means that the terminal was closed.
      if (!process.stdout.isTTY) process.on('SIGHUP', () => readLevelsAgain(server, sources, log))
      log.info({ url: server.url, roles: config.roles.join() }, 'Sluice is ready')
      if (server.firstToken !== undefined && config.bootstrapToken === undefined) {
        if (process.stdout.isTTY) console.log(firstTokenNotice(server.firstToken))
        else
          log.warn(
            { command: 'sluice owner-token' },
            'Created the first organization: the command shows a key of its owner',
          )
      }
      return server
    },
    { patienceMs: (config.drainSeconds + config.finishSeconds) * 1_000 },
  )
}

/** Reloads the log levels; other settings require a restart. */
function readLevelsAgain(server: Server, sources: ConfigSources, log: ReturnType<typeof createLog>): void {
  try {
    server.setLogLevels(loadConfig(sources))
    log.warn('SIGHUP: the levels of the log are read again')
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    log.error({ faults: error.faults }, 'SIGHUP: the levels of the log stay as they are')
  }
}

/** Printed only at a terminal, because other output may be stored in logs. */
const firstTokenNotice = (token: string) => `
  The first owner's API key, shown this once (sluice owner-token makes another):
  ${token}
`
