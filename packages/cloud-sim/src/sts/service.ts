import { identities } from '../identities.ts'
import type { CloudService } from '../service.ts'
import { query } from '../wire/query.ts'
import { stsControl } from './control.ts'
import { stsOperations } from './operations.ts'

export const stsService: CloudService = {
  protocol: query('https://sts.amazonaws.com/doc/2011-06-15/'),
  operations: stsOperations,
  open: identities,
  control: stsControl,
}
