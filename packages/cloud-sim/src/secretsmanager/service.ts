import { readModel } from '../model/model.ts'
import type { CloudService } from '../service.ts'
import { json11 } from '../wire/json.ts'
import { secretsOperations } from './operations.ts'
import { secretsRights } from './rights.ts'

export const secretsService: CloudService = {
  title: 'AWS Secrets Manager',
  differences: ['Secrets are texts with one version. Rotation is not simulated.'],
  protocol: json11,
  operations: secretsOperations,
  rights: secretsRights,
  model: readModel('secretsmanager.model.json', import.meta.url),
  open() {},
}
