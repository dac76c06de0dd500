import type { Declarations } from '../platform/records.ts'
import { memberships, serviceAccounts } from './organizations/tables.ts'

export const identityRecords: Declarations = [
  { collection: 'memberships', prefix: 'mem', label: 'membership', table: memberships },
  { collection: 'service-accounts', prefix: 'sa', label: 'service account', table: serviceAccounts },
]
