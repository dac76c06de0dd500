import type { EcsRelease } from '../../deployments/types/ecs/release.ts'

type Named = { name?: string; valueFrom?: string }

/** Properties of a container in a task definition that checks read. */
export type Container = {
  name?: string
  image?: string
  secrets?: Named[]
  repositoryCredentials?: { credentialsParameter?: string }
  logConfiguration?: { logDriver?: string; options?: Record<string, string>; secretOptions?: Named[] }
}

/** Properties of a task definition's registration that checks read. */
export type TaskDefinition = {
  family?: string
  cpu?: string
  memory?: string
  taskRoleArn?: string
  executionRoleArn?: string
  requiresCompatibilities?: string[]
  runtimePlatform?: { cpuArchitecture?: string; operatingSystemFamily?: string }
  containerDefinitions?: Container[]
}

/** Returns the task definition that a release registers; undefined for a release that uses a registered revision. */
export function taskDefinitionOf({ taskDefinition }: EcsRelease): TaskDefinition | undefined {
  return 'register' in taskDefinition ? (taskDefinition.register as TaskDefinition) : undefined
}

export const taskPath = (name: string): string => `deploy.task_definition.${name}`

export const containerPath = (index: number, name: string): string =>
  taskPath(`container_definitions[${index}].${name}`)
