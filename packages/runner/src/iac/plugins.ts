import { mkdir, readdir, rename, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Attempt, Command } from '../attempt.ts'
import { CacheFolder, usualCacheBytes } from '../cache-folder.ts'
import type { Tool } from './tool.ts'

/** A plug-in of one version, as a lock file names it. */
export type Plugin = { source: string; version: string }

/** Plug-ins that were fetched once, of each organization its own. Programs of steps read and cannot change them. */
export type Plugins = {
  /** Where those of an organization are. */
  folderOf(organizationId: string): string
  /** Does work that may use those of an organization: they are not removed meanwhile. */
  use<T>(organizationId: string, work: () => Promise<T>): Promise<T>
  /** Makes those of the organization known in a folder of the attempt, before a program has run there. */
  linkInto(folder: string, organizationId: string): Promise<void>
  /** Keeps those that are not kept yet. That it fails is no failure of the step: the tool fetches for itself then. */
  keep(attempt: PluginUser, how: Fetch, plugins: readonly Plugin[]): Promise<void>
}

type PluginUser = Pick<Attempt, 'organizationId' | 'folders' | 'process' | 'log'>

/** How plug-ins are fetched: by the tool itself, with nothing of the step's own. */
export type Fetch = { tool: Tool; env: Record<string, string>; readOnly: readonly string[] }

/** `<host>/<namespace>/<type>/<version>/<platform>`, which is how the tools lay out their own caches. */
const depth = 5

/** Keeps plug-ins in a folder of the runner's that no program ever writes to. */
export function createPlugins(directory: string, maxBytes = usualCacheBytes): Plugins {
  const cache = new CacheFolder(directory, maxBytes)
  const folderOf = (organizationId: string) => cache.folderOf(organizationId)

  return {
    folderOf,
    use: (organizationId, work) => cache.use(organizationId, work),

    async linkInto(folder, organizationId) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const kept = folderOf(organizationId)
      await mkdir(kept, { recursive: true, mode: 0o755 })
      for (const path of await foldersIn(kept, depth)) {
        await mkdir(dirname(join(folder, path)), { recursive: true, mode: 0o700 })
        // The runner may have been killed before it noted that this was done.
        await symlink(join(kept, path), join(folder, path)).catch(unlessThere)
      }
    },

    async keep(attempt, { tool, env, readOnly }, plugins) {
      const kept = folderOf(attempt.organizationId)
      const known = await foldersIn(kept, depth)
      const wanted = plugins.filter((plugin) => !known.some((path) => path.startsWith(`${pathOf(plugin)}/`)))
      if (wanted.length === 0 || !(await cache.hasRoom(attempt.organizationId))) return
      attempt.log(`Fetching ${wanted.map(pathOf).join(', ')} for this and later steps`)
      const { apart } = attempt.folders
      const fetched = join(apart, 'plugins')
      const place = join(apart, 'configuration')
      for (const folder of [fetched, place]) await mkdir(folder, { recursive: true, mode: 0o700 })
      // A program that was found again has the file already, and it may be another user's by now.
      await writeFile(join(place, 'main.tf.json'), requiring(wanted), { flag: 'wx' }).catch(unlessThere)
      const command: Command = {
        argv: [tool.path, 'init', '-input=false', '-no-color', '-backend=false'],
        cwd: place,
        env: { ...env, HOME: apart, TF_PLUGIN_CACHE_DIR: fetched },
        readOnly,
        writable: [apart],
        onLine: () => undefined,
      }
      const result = await attempt.process('plugins', command)
      if (!('exitCode' in result) || result.exitCode !== 0) {
        attempt.log('They could not be fetched. The tool fetches for this step alone what it needs.')
        return
      }
      for (const path of await foldersIn(fetched, depth)) {
        await mkdir(dirname(join(kept, path)), { recursive: true, mode: 0o755 })
        await rename(join(fetched, path), join(kept, path)).catch(unlessThere)
      }
    },
  }
}

/** Configurations have some ten. */
const maxPlugins = 100

/** The plug-ins that a lock file names, as far as they are no more than any configuration has. */
export function pluginsIn(lockFile: string): Plugin[] {
  const block = /^provider "([\w.-]+(?::\d+)?\/[\w-]+\/[\w-]+)" \{\n\s*version\s*=\s*"([\w.+-]+)"/gm
  const found = Array.from(lockFile.matchAll(block), ([, source = '', version = '']) => ({ source, version }))
  return found.slice(0, maxPlugins)
}

const pathOf = ({ source, version }: Plugin): string => `${source}/${version}`

const requiring = (plugins: readonly Plugin[]): string => {
  const required = plugins.map(({ source, version }, index) => [`p${index}`, { source, version: `= ${version}` }])
  return JSON.stringify({ terraform: { required_providers: Object.fromEntries(required) } })
}

/** The paths of folders so many levels below. The last may be a link: the tool links to mirrors of the operator's. */
async function foldersIn(folder: string, levels: number): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const below = await Promise.all(
    entries.map(async (entry) => {
      const path = join(folder, entry.name)
      if (levels === 1) return entry.isDirectory() || (await leadsToFolder(path)) ? [entry.name] : []
      const found = entry.isDirectory() ? await foldersIn(path, levels - 1) : []
      return found.map((one) => join(entry.name, one))
    }),
  )
  return below.flat()
}

const leadsToFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )

function unlessThere(error: NodeJS.ErrnoException): void {
  if (!['EEXIST', 'ENOTEMPTY', 'ENOTDIR'].includes(error.code ?? '')) throw error
}
