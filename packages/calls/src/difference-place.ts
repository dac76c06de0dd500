import type { DeploymentDifference } from '@sluice/contract'

/** Returns the name of a difference between two releases, such as `release.memory` or `inputs.image_ref`. */
export const placeOfDifference = ({ of, path }: Pick<DeploymentDifference, 'of' | 'path'>): string =>
  path === '' ? differenceNames[of] : `${differenceNames[of]}.${path}`

/** Display names of the kinds of differences. */
export const differenceNames: Record<DeploymentDifference['of'], string> = {
  VERSION: 'version',
  SOURCE: 'source',
  MODULE_VERSION: 'module version',
  IMAGE: 'release',
  DEPLOYMENT_INPUT: 'inputs',
  INSTANCE_INPUT: "the instance's input",
  RELEASE: 'release',
}
