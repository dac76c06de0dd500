import type { Deployment } from '@sluice/contract'
import { previousMarksOf, releaseMarksOf, versionOf } from '@sluice/contract/release-version'

/** Result of a deployment beyond its status, with the ID of a related deployment. */
export type DeploymentResult = { words: string; deploymentId?: string }

/** Describes a rollback or a superseded deployment; undefined if the status is enough. */
export function deploymentResult({
  status,
  data,
  error,
  rollbackToDeploymentId,
}: Deployment): DeploymentResult | undefined {
  const [version, before] = [versionOf(releaseMarksOf(data)), versionOf(previousMarksOf(data))]
  if (status === 'ROLLED_BACK' && version && before) return { words: `Rolled back ${version} → ${before}` }
  if (status === 'SUCCESS' && rollbackToDeploymentId !== undefined) {
    const from = before === version ? '' : before
    return {
      words: from && version ? `Rolled back ${from} → ${version}` : `Rolled back to ${version ?? 'an earlier release'}`,
    }
  }
  const newer = error?.metadata?.supersededByDeploymentId
  if (typeof newer === 'string') return { words: 'Superseded by a newer deployment', deploymentId: newer }
  return undefined
}
