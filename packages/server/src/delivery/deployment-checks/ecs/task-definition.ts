import type { EcsRelease } from '../../deployments/types/ecs/release.ts'

type Named = { name?: string; valueFrom?: string }

/** A container of a task definition, as far as checks read it. */
export type Container = {
  name?: string
  image?: string
  secrets?: Named[]
  repositoryCredentials?: { credentialsParameter?: string }
  logConfiguration?: { logDriver?: string; options?: Record<string, string>; secretOptions?: Named[] }
}

/** The request that registers the task definition of a release, as far as checks read it. */
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

/** Undefined for a release that registers nothing: it runs a revision that is registered already. */
export function taskDefinitionOf({ taskDefinition }: EcsRelease): TaskDefinition | undefined {
  return 'register' in taskDefinition ? (taskDefinition.register as TaskDefinition) : undefined
}

export const taskPath = (name: string): string => `deploy.task_definition.${name}`

export const containerPath = (index: number, name: string): string =>
  taskPath(`container_definitions[${index}].${name}`)
