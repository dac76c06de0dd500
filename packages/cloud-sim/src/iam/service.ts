import { identities } from '../identities.ts'
import { readModel } from '../model/model.ts'
import type { CloudService } from '../service.ts'
import { query } from '../wire/query.ts'
import { iamOperations } from './operations.ts'
import { iamRights } from './rights.ts'

export const iamService: CloudService = {
  title: 'AWS IAM',
  differences: [
    '`PUT /_sim/roles` creates roles. Policies, users and groups are not simulated.',
    '`SimulatePrincipalPolicy` evaluates roles only, and names no statements and no missing context keys.',
  ],
  protocol: query('https://iam.amazonaws.com/doc/2010-05-08/'),
  operations: iamOperations,
  rights: iamRights,
  model: readModel('iam.model.json', import.meta.url),
  open: identities,
}
