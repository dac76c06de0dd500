// For foreign keys, and for queries over several types of records.
export { approvalDelegations } from './approval-delegations/tables.ts'
export { approvalRules } from './approval-rules/tables.ts'
export { type FreezeRules, freezes } from './freezes/tables.ts'
export { type HoldRow, holds } from './holds/tables.ts'
export { policies, policyOverrides, policyVersions } from './policies/tables.ts'
