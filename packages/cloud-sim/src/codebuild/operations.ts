import { operations } from '../operation.ts'
import { batchGetBuilds, listBuildsForProject, startBuild, stopBuild } from './builds.ts'
import { batchGetProjects, createProject, updateProject } from './projects.ts'

/** Simulated operations of CodeBuild, API version 2016-10-06, for images without source. */
export const codeBuildOperations = operations({
  BatchGetBuilds: batchGetBuilds,
  BatchGetProjects: batchGetProjects,
  CreateProject: createProject,
  ListBuildsForProject: listBuildsForProject,
  StartBuild: startBuild,
  StopBuild: stopBuild,
  UpdateProject: updateProject,
})
