import { identities } from '../identities.ts'
import { readModel } from '../model/model.ts'
import type { CloudService } from '../service.ts'
import { query } from '../wire/query.ts'
import { stsControl } from './control.ts'
import { stsOperations } from './operations.ts'
import { stsRights } from './rights.ts'

export const stsService: CloudService = {
  title: 'AWS STS',
  differences: ['Session policies and session tags are not simulated.'],
  protocol: query('https://sts.amazonaws.com/doc/2011-06-15/'),
  operations: stsOperations,
  rights: stsRights,
  model: readModel('sts.model.json', import.meta.url),
  open: identities,
  control: stsControl,
}
