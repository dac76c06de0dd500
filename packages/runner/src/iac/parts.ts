import type { Repositories } from '../sources/repositories.ts'
import type { Plugins } from './plugins.ts'
import type { Toolbox } from './tool.ts'

/** What the steps of the iac tool stand on. */
export type IacParts = {
  toolbox: Toolbox
  repositories: Repositories
  /** The API, which keeps the states. */
  apiUrl: string
  plugins: Plugins
  /** Where programs find what the runner finds at an address. */
  addressOf: (url: string) => string
  /** A configuration file of the tool's command line, with mirrors. */
  cliConfig?: string | undefined
}
