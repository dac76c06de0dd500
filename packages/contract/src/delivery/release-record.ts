import type { DeploymentData } from './deployment.ts'
import { releaseMarksOf } from './release-version.ts'

// Stands on types alone, as states.ts does.

/** What the cloud writes by itself into every revision. */
const noise = new Set(['revision', 'taskDefinitionArn', 'registeredAt', 'registeredBy', 'status', 'requiresAttributes'])

/** A task definition as people wrote it. */
const writtenDefinition = (definition: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(definition).filter(([name]) => !noise.has(name)))

/** All that is recorded of what a deployment releases, as far as two releases differ in it. */
export function releaseRecordOf(data: DeploymentData | undefined): Record<string, unknown> {
  if (data?.type === 'cloud:ecs' && data.deployedTaskDefinition)
    return writtenDefinition(data.deployedTaskDefinition.definition)
  if (data?.type === 'cloud:ec2' && data.deployedRelease) return groupRelease(data.deployedRelease)
  return releaseMarksOf(data)
}

/** The same of what ran before it; undefined where no more than marks is recorded of that. */
export function previousRecordOf(data: DeploymentData | undefined): Record<string, unknown> | undefined {
  if (data?.type === 'cloud:ecs' && data.previousTaskDefinition)
    return writtenDefinition(data.previousTaskDefinition.definition)
  return data?.type === 'cloud:ec2' && data.previousRelease ? groupRelease(data.previousRelease) : undefined
}

const groupRelease = ({ deploymentId: _, ...release }: object & { deploymentId?: unknown }): Record<string, unknown> =>
  release
