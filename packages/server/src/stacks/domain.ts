import { type Domain, extensionPoint, operationParts } from '../platform/domain.ts'
import { valueSealOf } from '../projects/domain.ts'
import { deleteOldStateVersions } from './iac-states/retention.ts'
import { type OnStateRestored, serveIacStates } from './iac-states/routes.ts'
import { serveStacks } from './stacks/routes.ts'

export const onStateRestored = extensionPoint<OnStateRestored>('a state has been restored')

export const stacks: Domain = {
  serve(app, platform) {
    const parts = {
      ...operationParts(platform),
      seal: valueSealOf(platform),
      onStateRestored: onStateRestored.all(platform),
    }
    serveStacks(app)
    serveIacStates(app, parts)
  },
  forget: ({ stateVersions }) => (stateVersions === undefined ? [] : [deleteOldStateVersions(stateVersions)]),
}
