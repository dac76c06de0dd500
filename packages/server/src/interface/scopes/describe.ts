import { listMembers } from '../../identity/memberships/store.ts'
import type { DescribeScope } from '../../platform/http/rights.ts'
import { findEnvironment } from '../../projects/environments/store.ts'
import { findProject } from '../../projects/projects/store.ts'

/** Maximum number of owners that an error lists. */
const maxOwners = 3

/** Returns the name of a scope and who can grant roles in it. Members may read both. */
export const describeScope: DescribeScope = async (db, organizationId, { projectId, environmentId }) => {
  const [project, environment, { rows }] = await Promise.all([
    findProject(db, organizationId, projectId),
    environmentId === undefined ? undefined : findEnvironment(db, organizationId, environmentId),
    listMembers(db, organizationId, { role: 'OWNER' }, { limit: maxOwners, before: undefined }),
  ])
  const ofProject = `project ${project?.givenId ?? projectId}`
  const name =
    environmentId === undefined ? ofProject : `environment ${environment?.givenId ?? environmentId} of the ${ofProject}`
  return { name, owners: rows.slice(0, maxOwners).map(({ user }) => user.email) }
}
