import { readModel } from '../model/model.ts'
import type { CloudService } from '../service.ts'
import { json11With } from '../wire/json.ts'
import { ecrControl } from './control.ts'
import { ecrOperations } from './operations.ts'
import { ecrRights } from './rights.ts'
import { ecr } from './state.ts'

export const ecrService: CloudService = {
  protocol: json11With('InvalidParameterException'),
  operations: ecrOperations,
  rights: ecrRights,
  model: readModel('ecr.model.json', import.meta.url),
  unordered: [...ecrOperations.keys()],
  open: ecr,
  control: ecrControl,
}
