import { createSeal } from '../platform/crypto/seal.ts'
import type { Db } from '../platform/db/open.ts'
import { type Domain, extensionPoint, operationParts, part } from '../platform/domain.ts'
import { serveDefaultValueDefinitions } from './default-value-definitions/routes.ts'
import { serveDefaultValues } from './default-values/routes.ts'
import { serveDomains } from './domains/routes.ts'
import { serveEnvironmentNetworks } from './environment-networks/routes.ts'
import { serveEnvironmentOrder } from './environment-order/routes.ts'
import { serveEnvironments } from './environments/routes.ts'
import { serveProjects } from './projects/routes.ts'
import { projectRecords } from './records.ts'
import { serveRoleGrants } from './role-grants/routes.ts'

/** Extension point that deletes the history of an environment that is being deleted. */
export const environmentHistory =
  extensionPoint<(tx: Db, organizationId: string, id: string) => Promise<void>>('history of an environment')

/** Encrypts secrets in default values, inputs, variables, states and plans. */
export const valueSealOf = part(({ keys }) => createSeal(keys.secretsFor('default values')))

export const projects: Domain = {
  records: projectRecords,
  serve(app, platform) {
    const parts = {
      ...operationParts(platform),
      seal: valueSealOf(platform),
      removeHistoryOfEnvironment: environmentHistory.one(platform),
    }
    serveProjects(app)
    serveEnvironments(app, parts)
    serveEnvironmentNetworks(app)
    serveEnvironmentOrder(app)
    serveRoleGrants(app)
    serveDomains(app)
    serveDefaultValueDefinitions(app, parts)
    serveDefaultValues(app, parts)
  },
}
