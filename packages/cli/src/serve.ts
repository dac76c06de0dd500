import { type Server, startServer } from '@sluice/server'
import { ConfigError, type ConfigSources, loadConfig } from '@sluice/server/platform/config/load'
import { createLog } from '@sluice/server/platform/log/log'
import { runUntilStopped } from './run-until-stopped.ts'

/** Runs the service as configured. */
export async function serve(sources: ConfigSources): Promise<void> {
  const config = loadConfig(sources)
  const log = createLog({ level: config.logLevel, format: config.logFormat })
  await runUntilStopped(
    async () => {
      const server = await startServer(config)
      // At a terminal, it says that the terminal is gone.
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

/** Takes the levels of the log from the configuration as it is now; all else waits for the next start. */
function readLevelsAgain(server: Server, sources: ConfigSources, log: ReturnType<typeof createLog>): void {
  try {
    server.setLogLevels(loadConfig(sources))
    log.warn('SIGHUP: the levels of the log are read again')
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    log.error({ faults: error.faults }, 'SIGHUP: the levels of the log stay as they are')
  }
}

/** To a person at a terminal only: what is written elsewhere is kept as a log, and by others. */
const firstTokenNotice = (token: string) => `
  The first owner's API key, shown this once (sluice owner-token makes another):
  ${token}
`
