import type { DeploymentData } from './deployment.ts'
import { releaseMarksOf } from './release-version.ts'

// Imports types only, like `states.ts`.

/** Fields that the cloud adds to every revision. */
const generatedFields = new Set([
  'revision',
  'taskDefinitionArn',
  'registeredAt',
  'registeredBy',
  'status',
  'requiresAttributes',
])

/** Returns the user-defined fields of a task definition. */
const withoutGeneratedFields = (definition: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(definition).filter(([name]) => !generatedFields.has(name)))

/** Returns everything recorded about a deployment's release in which two releases can differ. */
export function releaseRecordOf(data: DeploymentData | undefined): Record<string, unknown> {
  if (data?.type === 'cloud:ecs' && data.deployedTaskDefinition)
    return withoutGeneratedFields(data.deployedTaskDefinition.definition)
  if (data?.type === 'cloud:ec2' && data.deployedRelease) return groupRelease(data.deployedRelease)
  return releaseMarksOf(data)
}

/** Returns the same record for the previous release, or undefined if only its marks are recorded. */
export function previousRecordOf(data: DeploymentData | undefined): Record<string, unknown> | undefined {
  if (data?.type === 'cloud:ecs' && data.previousTaskDefinition)
    return withoutGeneratedFields(data.previousTaskDefinition.definition)
  return data?.type === 'cloud:ec2' && data.previousRelease ? groupRelease(data.previousRelease) : undefined
}

const groupRelease = ({ deploymentId: _, ...release }: object & { deploymentId?: unknown }): Record<string, unknown> =>
  release
