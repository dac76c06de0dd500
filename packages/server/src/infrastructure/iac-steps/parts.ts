import type { Cloud } from '../../cloud/adapter/access.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import type { Db } from '../../platform/db/open.ts'
import type { StateTokens } from '../../stacks/iac-states/token.ts'
import type { Repositories } from '../adapter/repositories.ts'
import type { Toolbox } from '../adapter/tool.ts'

/** What the steps of the iac tool stand on. */
export type IacParts = {
  db: Db
  seal: Seal
  cloud: Cloud
  toolbox: Toolbox
  repositories: Repositories
  stateTokens: StateTokens
  /** Where a program on this machine reaches the API, which keeps the states; known once it listens. */
  apiUrl: Promise<string>
  /** Where plug-ins are kept that were fetched once. */
  pluginCache: string
  /** A configuration file of the tool's command line, with mirrors. */
  cliConfig?: string | undefined
  /** Where all calls to the cloud are sent, if not to the cloud. */
  cloudEndpoint?: string | undefined
  clock: () => Date
}
