import type { GroupRelease, GroupReleaseSource } from '@sluice/contract'
import type { ReleaseBase } from '../release.ts'

/** What an instance is told to run. */
export type Ec2Definition =
  | { runtime: 'container'; imageUri: string }
  | { runtime: 'manual'; commands: string[]; source?: GroupReleaseSource }

/** A number of instances, or a share of the group such as `25%`. */
export type CountOrShare = string

/** A release to a group of machines as it was resolved when the deployment was accepted. */
export type Ec2Release = ReleaseBase & {
  type: 'cloud:ec2'
  autoScalingGroupName: string
  /** Where the command document writes what it does, for people. */
  logGroupName?: string
  definition: Ec2Definition
  concurrencyMax: CountOrShare
  errorsMax: CountOrShare
  /** Whether the release before comes back when this one fails. */
  automaticRollback: boolean
}

/** The command document of a group, made by its stack. */
export const documentNameOf = ({ autoScalingGroupName }: Ec2Release): string => `${autoScalingGroupName}-deploy`

/** The parameter from which instances that start later read what they are to run. */
export const releaseParameterOf = ({ autoScalingGroupName }: Ec2Release): string =>
  `/sluice/${autoScalingGroupName}/release`

/**
 * The secure parameter from which instances read what lets them check out a private repository. Named by the
 * deployment: whatever becomes of it, another one neither reads nor deletes what is this one's.
 */
export const credentialParameterOf = (deploymentId: string, { autoScalingGroupName }: Ec2Release): string =>
  `/sluice/${autoScalingGroupName}/credentials/${deploymentId}`

/** What the deployment releases, whole: an image by its digest, too, where that is known. */
export function groupReleaseOf(deploymentId: string, { definition }: Ec2Release, imageDigest?: string): GroupRelease {
  if (definition.runtime !== 'container' || imageDigest === undefined) return { deploymentId, ...definition }
  return { deploymentId, ...definition, imageUri: `${definition.imageUri}@${imageDigest}` }
}

/** What the command document is given to bring a release to an instance; `credential` is the parameter that has one. */
export function commandParametersOf(release: GroupRelease, credential?: string): Record<string, string[]> {
  const { deploymentId, imageUri, commands = [], source } = release
  const deployId = [deploymentId]
  if (imageUri !== undefined) return { imageUri: [imageUri], deployId }
  const { repo, branch = '', ref = '', basePath = '' } = source ?? {}
  const checkout = { sourceRepo: [repo ?? ''], sourceBranch: [branch], sourceRef: [ref], sourceBasePath: [basePath] }
  const lent = credential === undefined ? {} : { sourceCredentialParameter: [credential] }
  return { commands: [commands.join('\n')], deployId, ...(source ? { ...checkout, ...lent } : {}) }
}
