import { mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { connectApi } from './api/call.ts'
import { buildWork } from './builds/build.ts'
import { findBuilder, saidOf } from './builds/image-machine.ts'
import { type Layers, noLayers, openLayers } from './builds/layers.ts'
import { commandWork } from './command.ts'
import { lockDirectory } from './directory-lock.ts'
import { createPlugins } from './iac/plugins.ts'
import { createToolbox } from './iac/tool.ts'
import { iacWork } from './iac/work.ts'
import { openIsolation } from './isolation/open.ts'
import { readIsolationSettings } from './isolation/settings.ts'
import { closeInheritedFiles } from './programs/inherited-files.ts'
import { type Runner, startRunner } from './runner.ts'
import { rememberRunnerId } from './runner-id.ts'
import type { Log } from './runner-log.ts'
import type { Settings } from './settings.ts'
import { expectGitThatPins } from './sources/git-version.ts'
import { createRepositories } from './sources/repositories.ts'
import { identityOfTask, redeem } from './task.ts'

const { version } = createRequire(import.meta.url)('../package.json')

/** Starts a runner as its settings say. When this returns, the API knows it. */
export async function run(settings: Settings, log: Log, env = process.env): Promise<Runner> {
  const { url, isForOne, directory, labels, toolsDir, cliConfig, outboundAllow, cacheBytes, drainMs } = settings
  closeInheritedFiles()
  // What fails for one attempt, however it does, is none of the others' concern.
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'something failed that nobody waits for'))
  await expectGitThatPins()
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const lock = lockDirectory(directory)
  process.umask(0o022) // what programs are given to read must be readable for them, whoever they are
  const isolationSettings = readIsolationSettings(env, settings)
  const isolation = await openIsolation(isolationSettings)
  const api = connectApi(url)
  const known = isForOne ? await redeem(api.call, settings.token, log) : await rememberedIn(settings)
  const capacity = isForOne ? 1 : settings.capacity
  const { sourceBytes } = isolationSettings.limits
  const shared = {
    repositories: join(directory, 'repositories'),
    plugins: join(directory, 'plugins'),
    layers: join(directory, 'layers'),
  }
  const repositories = createRepositories({
    directory: shared.repositories,
    places: isolation,
    mostBytes: sourceBytes,
    cacheBytes,
  })
  const toolbox = createToolbox({ toolsDir, path: process.env.PATH ?? '' })
  const plugins = createPlugins(shared.plugins, cacheBytes)
  const builder = await findBuilder(isolation)
  const layers = await layersFor()
  const runner = await startRunner({
    call: api.call,
    works: {
      build: buildWork(repositories, isolation, layers, [...outboundAllow, ...isolationSettings.endpoints]),
      command: commandWork(repositories),
      iac: iacWork({ toolbox, repositories, plugins, apiUrl: url, addressOf: isolation.addressOf, cliConfig }),
    },
    log,
    ...known,
    version,
    isolation,
    directory: join(directory, 'attempts'),
    sharedFolders: Object.values(shared),
    capacity,
    labels,
    tools: await toolbox.versions(),
    isForOne,
    identity: isForOne ? identityOfTask(env) : {},
  })

  async function layersFor(): Promise<Layers> {
    if (isForOne || typeof builder !== 'string') return noLayers('the runner builds no image after another')
    // Files of images belong to users of the one attempt that its folders were given to.
    if (builder === 'sandbox') return noLayers('what is built in sandboxes leaves none')
    return openLayers({ directory: shared.layers, mostBytes: settings.layerBytes, as: builder })
  }
  const { kind, network, notes } = isolation
  const images = saidOf(builder)
  log.info(
    { url, capacity, isolation: kind, network, images, layers: layers.off ?? 'kept', notes },
    'the runner is ready',
  )
  if (kind === 'none' && !isForOne) log.warn({ notes }, unisolated)
  return {
    over: runner.over,
    async stop() {
      await runner.stop({ drainMs })
      isolation.close()
      api.close()
      lock.release()
    },
  }
}

/** Who a runner is that comes back to its directory. */
const rememberedIn = async ({ directory, token }: Settings) => ({ runnerId: await rememberRunnerId(directory), token })

const unisolated =
  'programs of steps are not isolated here: as a runner of the installation, it carries them out only while there is one organization and nobody can register another'
