import type { DeploymentDifference } from '@sluice/contract'

/** What differs between two releases, for people: as in `release.memory` or `inputs.image_ref`. */
export const placeOfDifference = ({ of, path }: Pick<DeploymentDifference, 'of' | 'path'>): string =>
  path === '' ? differenceNames[of] : `${differenceNames[of]}.${path}`

/** What people call what two releases can differ in. */
export const differenceNames: Record<DeploymentDifference['of'], string> = {
  VERSION: 'version',
  SOURCE: 'source',
  MODULE_VERSION: 'module version',
  IMAGE: 'release',
  DEPLOYMENT_INPUT: 'inputs',
  INSTANCE_INPUT: "the instance's input",
  RELEASE: 'release',
}
