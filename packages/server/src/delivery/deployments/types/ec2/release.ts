import type { GroupRelease, GroupReleaseSource } from '@sluice/contract'
import type { ReleaseBase } from '../release.ts'

/** What an instance runs. */
export type Ec2Definition =
  | { runtime: 'container'; imageUri: string }
  | { runtime: 'manual'; commands: string[]; source?: GroupReleaseSource }

/** Number of instances, or share of the group such as `25%`. */
export type CountOrShare = string

/** Release to a group of instances, as resolved when the deployment was accepted. */
export type Ec2Release = ReleaseBase & {
  type: 'cloud:ec2'
  autoScalingGroupName: string
  /** Log group to which the command document writes its output. */
  logGroupName?: string
  definition: Ec2Definition
  concurrencyMax: CountOrShare
  errorsMax: CountOrShare
  /** Whether a failure restores the previous release. */
  automaticRollback: boolean
}

/** Returns the name of the group's command document, which its stack creates. */
export const documentNameOf = ({ autoScalingGroupName }: Ec2Release): string => `${autoScalingGroupName}-deploy`

/** Returns the name of the parameter from which new instances read their release. */
export const releaseParameterOf = ({ autoScalingGroupName }: Ec2Release): string =>
  `/sluice/${autoScalingGroupName}/release`

/**
 * Returns the name of the secure parameter with the repository credential. It contains the deployment id, so that
 * deployments cannot read or delete each other's credentials.
 */
export const credentialParameterOf = (deploymentId: string, { autoScalingGroupName }: Ec2Release): string =>
  `/sluice/${autoScalingGroupName}/credentials/${deploymentId}`

/** Returns the complete release, including the image digest if known. */
export function groupReleaseOf(deploymentId: string, { definition }: Ec2Release, imageDigest?: string): GroupRelease {
  if (definition.runtime !== 'container' || imageDigest === undefined) return { deploymentId, ...definition }
  return { deploymentId, ...definition, imageUri: `${definition.imageUri}@${imageDigest}` }
}

/**
 * Returns the parameters with which the command document installs a release; `credential` is the name of the secure
 * parameter.
 */
export function commandParametersOf(release: GroupRelease, credential?: string): Record<string, string[]> {
  const { deploymentId, imageUri, commands = [], source } = release
  const deployId = [deploymentId]
  if (imageUri !== undefined) return { imageUri: [imageUri], deployId }
  const { repo, branch = '', ref = '', basePath = '' } = source ?? {}
  const checkout = { sourceRepo: [repo ?? ''], sourceBranch: [branch], sourceRef: [ref], sourceBasePath: [basePath] }
  const lent = credential === undefined ? {} : { sourceCredentialParameter: [credential] }
  return { commands: [commands.join('\n')], deployId, ...(source ? { ...checkout, ...lent } : {}) }
}
