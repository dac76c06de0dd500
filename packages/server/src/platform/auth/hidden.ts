import type { Grant } from './access.ts'

/** Places that not everybody in the organization sees, with the environments in them. */
export type Guarded = {
  /** Ids of the projects that only who has a role there sees. */
  projectIds: readonly string[]
  /** The environments of those, and all that only who has a role there sees. */
  environments: readonly { id: string; projectId: string; isForMembers: boolean }[]
}

/**
 * Ids of the projects and environments that somebody with these roles does not see. A role on an environment shows the
 * project that it is in; one on a project shows those of its environments that are for everybody who sees the project.
 */
export function hiddenFrom(grants: readonly Grant[], { projectIds, environments }: Guarded): Set<string> {
  const isIn = new Set(grants.map(({ projectId }) => projectId))
  const isOnProject = new Set(grants.filter((one) => one.environmentId === null).map(({ projectId }) => projectId))
  const isOnEnvironment = new Set(grants.map(({ environmentId }) => environmentId))
  const hidden = environments.filter(
    ({ id, projectId, isForMembers }) => !isOnEnvironment.has(id) && (isForMembers || !isOnProject.has(projectId)),
  )
  return new Set([...projectIds.filter((id) => !isIn.has(id)), ...hidden.map(({ id }) => id)])
}
