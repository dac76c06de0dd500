import { readModel } from '../model/model.ts'
import type { CloudService } from '../service.ts'
import { json11With } from '../wire/json.ts'
import { advanceBuild, markMachinesLost } from './build-life.ts'
import { codeBuildOperations } from './operations.ts'
import { codeBuildRights } from './rights.ts'
import { codeBuild } from './state.ts'

export const codeBuildService: CloudService = {
  title: 'AWS CodeBuild',
  decisions: ['A stop of a build that has ended has no effect. A stop kills the program of a running build.'],
  differences: [
    'Sources, artifacts, caches, batches and fleets are not simulated.',
    'The commands of a buildspec do not run. The image decides how a build ends, or names the program that runs.',
  ],
  protocol: json11With('InvalidInputException'),
  operations: codeBuildOperations,
  rights: codeBuildRights,
  model: readModel('codebuild.model.json', import.meta.url),
  open(world) {
    codeBuild(world).builds.onWake((build) => advanceBuild(world, build))
    markMachinesLost(world)
  },
  unordered: ['BatchGetBuilds', 'BatchGetProjects'],
}
