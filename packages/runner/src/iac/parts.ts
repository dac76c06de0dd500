import type { Repositories } from '../sources/repositories.ts'
import type { Toolbox } from './tool.ts'

/** What the steps of the iac tool stand on. */
export type IacParts = {
  toolbox: Toolbox
  repositories: Repositories
  /** Where programs on this machine reach the API, which keeps the states. */
  apiUrl: string
  /** Where plug-ins are kept that were fetched once. */
  pluginCache: string
  /** A configuration file of the tool's command line, with mirrors. */
  cliConfig?: string | undefined
}
