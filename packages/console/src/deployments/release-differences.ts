import type { DeploymentData } from '@sluice/contract'
import { releaseMarksOf } from '@sluice/contract/release-version'
import { type Difference, differencesOf } from '../ui/differences.ts'

/** What the cloud writes by itself into every revision. */
const noise = new Set(['revision', 'taskDefinitionArn', 'registeredAt', 'registeredBy', 'status', 'requiresAttributes'])

/** A task definition as people wrote it. */
export const written = (definition: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(definition).filter(([name]) => !noise.has(name)))

/** What one release has otherwise than another, of what is recorded of both. */
export const releaseDifferences = (
  before: DeploymentData | undefined,
  after: DeploymentData | undefined,
): Difference[] => differencesOf(recordOf(before), recordOf(after))

const recordOf = (data: DeploymentData | undefined): Record<string, unknown> => {
  if (data?.type === 'cloud:ecs' && data.deployedTaskDefinition) return written(data.deployedTaskDefinition.definition)
  if (data?.type === 'cloud:ec2' && data.deployedRelease) {
    const { deploymentId: _, ...release } = data.deployedRelease
    return release
  }
  return releaseMarksOf(data)
}
