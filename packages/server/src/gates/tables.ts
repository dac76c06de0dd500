// For foreign keys, and for those who read rows of several kinds in one query.
export { approvalDelegations } from './approval-delegations/tables.ts'
export { approvalRules } from './approval-rules/tables.ts'
export { type FreezeRules, freezes } from './freezes/tables.ts'
export { type HoldRow, holds } from './holds/tables.ts'
export { policies, policyOverrides, policyVersions } from './policies/tables.ts'
