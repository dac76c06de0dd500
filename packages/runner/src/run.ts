import { mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { connectApi } from './api/call.ts'
import { commandWork } from './command.ts'
import { lockDirectory } from './directory-lock.ts'
import { createToolbox } from './iac/tool.ts'
import { iacWork } from './iac/work.ts'
import type { Isolation } from './isolation/isolation.ts'
import { notIsolated } from './isolation/none.ts'
import { openIsolation } from './isolation/open.ts'
import { readIsolationSettings } from './isolation/settings.ts'
import { type Runner, startRunner } from './runner.ts'
import { rememberRunnerId } from './runner-id.ts'
import type { Log } from './runner-log.ts'
import type { Settings } from './settings.ts'
import { createRepositories } from './sources/repositories.ts'

const { version } = createRequire(import.meta.url)('../package.json')

/** Starts a runner as its settings say. When this returns, the API knows it. */
export async function run(settings: Settings, log: Log, env = process.env): Promise<Runner> {
  const { url, token, directory, capacity, labels, toolsDir, cliConfig } = settings
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const lock = lockDirectory(directory)
  const isolation = await isolationOf(settings, env)
  const api = connectApi(url)
  const repositories = createRepositories({ directory: join(directory, 'repositories') })
  const toolbox = createToolbox({ toolsDir, path: process.env.PATH ?? '' })
  const pluginCache = join(directory, 'plugins')
  const runner = await startRunner({
    call: api.call,
    works: {
      command: commandWork(repositories),
      iac: iacWork({ toolbox, repositories, apiUrl: isolation.addressOf(url), pluginCache, cliConfig }),
    },
    log,
    runnerId: await rememberRunnerId(directory),
    token,
    version,
    isolation,
    directory: join(directory, 'attempts'),
    capacity,
    labels,
  })
  const { kind, network, notes } = isolation
  log.info({ url, capacity, isolation: kind, network, notes }, 'the runner is ready')
  return {
    async stop() {
      await runner.stop()
      api.close()
      lock.release()
    },
  }
}

/** What keeps programs apart, where that is asked for. */
async function isolationOf(settings: Settings, env: NodeJS.ProcessEnv): Promise<Isolation> {
  if (env.SLUICE_RUNNER_ISOLATION) return openIsolation(readIsolationSettings(env, settings))
  return { ...notIsolated(['SLUICE_RUNNER_ISOLATION is not set']), refusal: () => undefined }
}
