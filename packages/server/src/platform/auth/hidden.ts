import type { Grant } from './access.ts'

/** Projects and environments that only members with a role there can see. */
export type MemberOnlyScopes = {
  /** IDs of projects that only members with a role there can see. */
  projectIds: readonly string[]
  /** Environments of these projects, and other environments that only members with a role there can see. */
  environments: readonly { id: string; projectId: string; isForMembers: boolean }[]
}

/**
 * Returns the IDs of projects and environments that a member with these roles cannot see. A role on an environment
 * shows its project. A role on a project shows its environments that are open to all who see the project.
 */
export function hiddenFrom(grants: readonly Grant[], { projectIds, environments }: MemberOnlyScopes): Set<string> {
  const isIn = new Set(grants.map(({ projectId }) => projectId))
  const isOnProject = new Set(grants.filter((one) => one.environmentId === null).map(({ projectId }) => projectId))
  const isOnEnvironment = new Set(grants.map(({ environmentId }) => environmentId))
  const hidden = environments.filter(
    ({ id, projectId, isForMembers }) => !isOnEnvironment.has(id) && (isForMembers || !isOnProject.has(projectId)),
  )
  return new Set([...projectIds.filter((id) => !isIn.has(id)), ...hidden.map(({ id }) => id)])
}
