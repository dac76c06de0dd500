import { systemClock } from '../platform/clock.ts'
import { createSeal } from '../platform/crypto/seal.ts'
import { type Domain, operationParts, part } from '../platform/domain.ts'
import { openGitHosts } from './adapter/hosts.ts'
import { serveCodeSources } from './code-sources/routes.ts'
import { createAuthorizationStates } from './git-states/state.ts'
import { serveGithostaInstallations } from './githosta-installations/routes.ts'
import { serveGithostbConnections } from './githostb-connections/routes.ts'
import { createConnectionTokens } from './githostb-connections/tokens.ts'
import { serveGithostbInstances } from './githostb-instances/routes.ts'
import { gitRecords } from './records.ts'
import { serveRepositories } from './repositories/routes.ts'

/** Opens the clients of the Git hosts. They always use the system clock, because their tokens expire in real time. */
export const gitOf = part(({ config, keys, database: { ofOrganization } }) => {
  const clock = systemClock.now
  const hosts = openGitHosts(config, { clock })
  const gitSeal = createSeal(keys.secretsFor('git hosts'))
  return { hosts, gitSeal, tokens: createConnectionTokens({ ofOrganization, seal: gitSeal, hosts, clock }) }
})

export const git: Domain = {
  records: gitRecords,
  serve(app, platform) {
    const { config, keys, clock, database } = platform
    const { db } = database
    const parts = {
      ...operationParts(platform),
      ...gitOf(platform),
      states: createAuthorizationStates({ seal: createSeal(keys.secretsFor('git states')), clock: clock.now }),
      returnOrigins: config.corsOrigins ?? [],
    }
    serveCodeSources(app, parts)
    serveRepositories(app, parts)
    serveGithostaInstallations(app, { ...parts, db })
    serveGithostbConnections(app, { ...parts, db })
    serveGithostbInstances(app, parts)
  },
}
