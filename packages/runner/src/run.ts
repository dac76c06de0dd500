import { mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { connectApi } from './api/call.ts'
import { createBuildHandler } from './builds/build.ts'
import { describeBuilder, findBuilder } from './builds/builder.ts'
import { createDisabledLayerCache, type LayerCache, openLayerCache } from './builds/layer-cache.ts'
import { createCommandHandler } from './command.ts'
import { lockDirectory } from './directory-lock.ts'
import { createIacHandler } from './iac/iac-handler.ts'
import { createPluginCache } from './iac/plugin-cache.ts'
import { createToolbox } from './iac/tool.ts'
import { openIsolation } from './isolation/open.ts'
import { readIsolationSettings } from './isolation/settings.ts'
import { closeInheritedFiles } from './programs/inherited-files.ts'
import { type Runner, startRunner } from './runner.ts'
import { loadRunnerId } from './runner-id.ts'
import type { Log } from './runner-log.ts'
import type { Settings } from './settings.ts'
import { requireGitVersion } from './sources/git-version.ts'
import { createRepositories } from './sources/repositories.ts'
import { readTaskIdentity, redeemToken } from './task.ts'

const { version } = createRequire(import.meta.url)('../package.json')

/** Starts a runner with the given settings. Returns after the runner has registered with the API. */
export async function run(settings: Settings, log: Log, env = process.env): Promise<Runner> {
  const { url, isEphemeral, directory, labels, toolsDir, cliConfig, outboundAllow, cacheBytes, drainMs } = settings
  closeInheritedFiles()
  // An unexpected error of one attempt must not end the others.
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled promise rejection'))
  await requireGitVersion()
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const lock = lockDirectory(directory)
  process.umask(0o022) // programs run as other users and must be able to read their inputs
  const isolationSettings = readIsolationSettings(env, settings)
  const isolation = await openIsolation(isolationSettings)
  const api = connectApi(url)
  const credentials = isEphemeral ? await redeemToken(api.call, settings.token, log) : await loadIdentity(settings)
  const capacity = isEphemeral ? 1 : settings.capacity
  const { sourceBytes } = isolationSettings.limits
  const sharedFolders = {
    repositories: join(directory, 'repositories'),
    plugins: join(directory, 'plugins'),
    layers: join(directory, 'layers'),
  }
  const repositories = createRepositories({
    directory: sharedFolders.repositories,
    addresses: isolation,
    maxBytes: sourceBytes,
    cacheBytes,
  })
  const toolbox = createToolbox({ toolsDir, path: process.env.PATH ?? '' })
  const plugins = createPluginCache(sharedFolders.plugins, cacheBytes)
  const builder = await findBuilder(isolation)
  const layers = await openLayers()
  const runner = await startRunner({
    call: api.call,
    handlers: {
      build: createBuildHandler(repositories, isolation, layers, [...outboundAllow, ...isolationSettings.endpoints]),
      command: createCommandHandler(repositories),
      iac: createIacHandler({
        toolbox,
        repositories,
        plugins,
        apiUrl: url,
        rewriteUrl: isolation.rewriteUrl,
        cliConfig,
      }),
    },
    log,
    ...credentials,
    version,
    isolation,
    directory: join(directory, 'attempts'),
    sharedFolders: Object.values(sharedFolders),
    capacity,
    labels,
    tools: await toolbox.versions(),
    isEphemeral,
    identity: isEphemeral ? readTaskIdentity(env) : {},
  })

  async function openLayers(): Promise<LayerCache> {
    if (isEphemeral || typeof builder !== 'string')
      return createDisabledLayerCache('this runner does not build several images')
    // Files from container images belong to user IDs of the kernel that are assigned to one attempt.
    if (builder === 'sandbox') return createDisabledLayerCache('builds in sandboxes leave no layers')
    return openLayerCache({ directory: sharedFolders.layers, maxBytes: settings.layerBytes, as: builder })
  }
  const { kind, network, notes } = isolation
  const images = describeBuilder(builder)
  log.info(
    { url, capacity, isolation: kind, network, images, layers: layers.disabledReason ?? 'kept', notes },
    'the runner is ready',
  )
  if (kind === 'none' && !isEphemeral) log.warn({ notes }, notIsolatedWarning)
  return {
    finished: runner.finished,
    async stop() {
      await runner.stop({ drainMs })
      isolation.close()
      api.close()
      lock.release()
    },
  }
}

/** Returns the identity of a runner that reuses its directory. */
const loadIdentity = async ({ directory, token }: Settings) => ({ runnerId: await loadRunnerId(directory), token })

const notIsolatedWarning =
  'programs of steps are not isolated: as a shared runner, this one executes steps only while the installation has one organization and registration is closed'
