import { operations } from '../operation.ts'
import { batchGetBuilds, listBuildsForProject, startBuild, stopBuild } from './builds.ts'
import { batchGetProjects, createProject, updateProject } from './projects.ts'

/** The CodeBuild API, version 2016-10-06, as far as it runs images without a source of its own. */
export const codeBuildOperations = operations({
  BatchGetBuilds: batchGetBuilds,
  BatchGetProjects: batchGetProjects,
  CreateProject: createProject,
  ListBuildsForProject: listBuildsForProject,
  StartBuild: startBuild,
  StopBuild: stopBuild,
  UpdateProject: updateProject,
})
