import { readModel } from '../model/model.ts'
import type { CloudService } from '../service.ts'
import { json11With } from '../wire/json.ts'
import { ecrControl } from './control.ts'
import { ecrOperations } from './operations.ts'
import { ecrRights } from './rights.ts'
import { ecr } from './state.ts'

export const ecrService: CloudService = {
  title: 'Amazon ECR',
  differences: [
    'Tasks do not pull images: they run images that no repository has, with a digest derived from the address.',
    'Pushes go to a registry process, if `PUT /_sim/registry` names one. It accepts every login and lets every tag move.',
    'Pull through cache rules fetch nothing.',
    'Only the registry of the calling account can be used.',
    'Manifests are generated. Those of pushed images name the architecture amd64.',
  ],
  protocol: json11With('InvalidParameterException'),
  operations: ecrOperations,
  rights: ecrRights,
  model: readModel('ecr.model.json', import.meta.url),
  unordered: [...ecrOperations.keys()],
  open: ecr,
  control: ecrControl,
}
