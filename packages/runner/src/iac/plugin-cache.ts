import { mkdir, readdir, rename, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Attempt, Command } from '../attempt.ts'
import { CacheFolder, defaultCacheBytes } from '../cache-folder.ts'
import type { Tool } from './tool.ts'

/** A version of a provider plugin, as in a lock file. */
export type Plugin = { source: string; version: string }

/** Cache of provider plugins, separate for each organization. Programs of steps have read access only. */
export type PluginCache = {
  /** Returns the folder of an organization. */
  folderOf(organizationId: string): string
  /** Runs `work` while the organization's plugins are in use and not evicted. */
  use<T>(organizationId: string, work: () => Promise<T>): Promise<T>
  /** Links the organization's plugins into a folder of the attempt. Call it before a program has run there. */
  linkInto(folder: string, organizationId: string): Promise<void>
  /**
   * Fetches missing plugins into the cache. Does not throw on failure: the tool then fetches them for the step alone.
   */
  fetchMissing(attempt: PluginUser, how: Fetch, plugins: readonly Plugin[]): Promise<void>
}

type PluginUser = Pick<Attempt, 'organizationId' | 'folders' | 'runProgram' | 'log'>

/** How to fetch plugins: with the tool itself and without any file or variable of the step. */
export type Fetch = { tool: Tool; env: Record<string, string>; readOnly: readonly string[] }

/** Levels of `<host>/<namespace>/<type>/<version>/<platform>`, the layout of the tools' own caches. */
const pluginDepth = 5

/** Creates a cache in a folder of the runner that programs cannot write to. */
export function createPluginCache(directory: string, maxBytes = defaultCacheBytes): PluginCache {
  const cache = new CacheFolder(directory, maxBytes)
  const folderOf = (organizationId: string) => cache.folderOf(organizationId)

  return {
    folderOf,
    use: (organizationId, work) => cache.use(organizationId, work),

    async linkInto(folder, organizationId) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const kept = folderOf(organizationId)
      await mkdir(kept, { recursive: true, mode: 0o755 })
      for (const path of await listFolders(kept, pluginDepth)) {
        await mkdir(dirname(join(folder, path)), { recursive: true, mode: 0o700 })
        // The link may exist, if the runner was killed before it recorded this step.
        await symlink(join(kept, path), join(folder, path)).catch(ignoreExisting)
      }
    },

    async fetchMissing(attempt, { tool, env, readOnly }, plugins) {
      const kept = folderOf(attempt.organizationId)
      const known = await listFolders(kept, pluginDepth)
      const wanted = plugins.filter((plugin) => !known.some((path) => path.startsWith(`${pluginPath(plugin)}/`)))
      if (wanted.length === 0 || !(await cache.hasRoom(attempt.organizationId))) return
      attempt.log(`Fetching ${wanted.map(pluginPath).join(', ')} for this and later steps`)
      const { internal } = attempt.folders
      const fetched = join(internal, 'plugins')
      const place = join(internal, 'configuration')
      for (const folder of [fetched, place]) await mkdir(folder, { recursive: true, mode: 0o700 })
      // After a restart the file exists and may belong to another user.
      await writeFile(join(place, 'main.tf.json'), createRequirements(wanted), { flag: 'wx' }).catch(ignoreExisting)
      const command: Command = {
        argv: [tool.path, 'init', '-input=false', '-no-color', '-backend=false'],
        cwd: place,
        env: { ...env, HOME: internal, TF_PLUGIN_CACHE_DIR: fetched },
        readOnly,
        writable: [internal],
        onLine: () => undefined,
      }
      const result = await attempt.runProgram('plugins', command)
      if (!('exitCode' in result) || result.exitCode !== 0) {
        attempt.log('Cannot fetch the plugins for later steps. The tool fetches them for this step only.')
        return
      }
      for (const path of await listFolders(fetched, pluginDepth)) {
        await mkdir(dirname(join(kept, path)), { recursive: true, mode: 0o755 })
        await rename(join(fetched, path), join(kept, path)).catch(ignoreExisting)
      }
    },
  }
}

/** Far more than the ten or so of a usual configuration. */
const maxPlugins = 100

/** Returns the plugins of a lock file, up to the maximum. */
export function parseLockFile(lockFile: string): Plugin[] {
  const block = /^provider "([\w.-]+(?::\d+)?\/[\w-]+\/[\w-]+)" \{\n\s*version\s*=\s*"([\w.+-]+)"/gm
  const found = Array.from(lockFile.matchAll(block), ([, source = '', version = '']) => ({ source, version }))
  return found.slice(0, maxPlugins)
}

const pluginPath = ({ source, version }: Plugin): string => `${source}/${version}`

const createRequirements = (plugins: readonly Plugin[]): string => {
  const required = plugins.map(({ source, version }, index) => [`p${index}`, { source, version: `= ${version}` }])
  return JSON.stringify({ terraform: { required_providers: Object.fromEntries(required) } })
}

/** Returns the paths of folders `levels` below. The last may be a link: the tool links to the operator's mirrors. */
async function listFolders(folder: string, levels: number): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const below = await Promise.all(
    entries.map(async (entry) => {
      const path = join(folder, entry.name)
      if (levels === 1) return entry.isDirectory() || (await isFolder(path)) ? [entry.name] : []
      const found = entry.isDirectory() ? await listFolders(path, levels - 1) : []
      return found.map((one) => join(entry.name, one))
    }),
  )
  return below.flat()
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (!['EEXIST', 'ENOTEMPTY', 'ENOTDIR'].includes(error.code ?? '')) throw error
}
