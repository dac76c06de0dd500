import type { CreateProjectInput, StartBuildInput, UpdateProjectInput } from '@aws-sdk/client-codebuild'
import { defineIamPermissions, type PermissionContext, passRolePermissionsFor } from '../rights/right.ts'
import { projectArn } from './projects.ts'

const service = 'codebuild.amazonaws.com'

const ofProject = ({ projectName = '' }: { projectName?: string | undefined }, { caller }: PermissionContext) =>
  projectArn(caller.scope, projectName)

/** Returns the ARNs of the projects of builds. A build id starts with the project's name. */
const ofBuilds = (ids: readonly string[], { caller }: PermissionContext) =>
  ids.map((id) =>
    projectArn(caller.scope, (id.startsWith('arn:') ? (id.split('/').at(-1) ?? '') : id).split(':')[0] ?? ''),
  )

export const codeBuildRights = defineIamPermissions({
  BatchGetBuilds: ({ ids = [] }: { ids?: string[] }, where) => ofBuilds(ids, where),
  BatchGetProjects: ({ names = [] }: { names?: string[] }, { caller }) =>
    names.map((name) => projectArn(caller.scope, name)),
  CreateProject: ({ name = '', serviceRole }: CreateProjectInput, where) => [
    projectArn(where.caller.scope, name),
    ...passRolePermissionsFor(service, [serviceRole], where),
  ],
  ListBuildsForProject: ofProject,
  StartBuild: (input: StartBuildInput, where) => [
    ofProject(input, where),
    ...passRolePermissionsFor(service, [input.serviceRoleOverride], where),
  ],
  StopBuild: ({ id = '' }: { id?: string }, where) => ofBuilds([id], where),
  UpdateProject: ({ name = '', serviceRole }: UpdateProjectInput, where) => [
    projectArn(where.caller.scope, name),
    ...passRolePermissionsFor(service, [serviceRole], where),
  ],
})
