import { readModel } from '../model/model.ts'
import type { CloudService } from '../service.ts'
import { json11With } from '../wire/json.ts'
import { goOn, loseMachines } from './build-life.ts'
import { codeBuildOperations } from './operations.ts'
import { codeBuildRights } from './rights.ts'
import { codeBuild } from './state.ts'

export const codeBuildService: CloudService = {
  protocol: json11With('InvalidInputException'),
  operations: codeBuildOperations,
  rights: codeBuildRights,
  model: readModel('codebuild.model.json', import.meta.url),
  open(world) {
    codeBuild(world).builds.onWake((build) => goOn(world, build))
    loseMachines(world)
  },
  unordered: ['BatchGetBuilds', 'BatchGetProjects'],
}
