import type { Declarations } from '../platform/records.ts'
import { cloudAccounts } from './cloud-accounts/tables.ts'
import { executionEnvironments } from './execution-environments/tables.ts'

export const cloudRecords: Declarations = [
  { collection: 'cloud-accounts', prefix: 'ca', label: 'cloud account', table: cloudAccounts },
  {
    collection: 'execution-environments',
    prefix: 'ee',
    label: 'execution environment',
    table: executionEnvironments,
    dependsOn: { 'cloud-accounts': executionEnvironments.cloudAccountId },
  },
]
