import type { Repositories } from '../sources/repositories.ts'
import type { PluginCache } from './plugin-cache.ts'
import type { Toolbox } from './tool.ts'

/** Dependencies of the iac steps. */
export type IacParts = {
  toolbox: Toolbox
  repositories: Repositories
  /** URL of the API, which stores the states. */
  apiUrl: string
  plugins: PluginCache
  /** Rewrites a URL of the runner to one that programs can reach. */
  rewriteUrl: (url: string) => string
  /** Path of a CLI configuration file with mirrors. */
  cliConfig?: string | undefined
}
