export type * from '@sluice/contract'
export { type ChangeEvent, type FollowOptions, followChanges } from './changes.ts'
export {
  type CallOptions,
  type Client,
  type ClientOptions,
  createClient,
  type Operation,
  type ReplyOf,
  type RequestOf,
} from './client.ts'
export { ApiError } from './error.ts'
export { operations } from './operations.generated.ts'
export { type Retry, retrying } from './retry.ts'
export { type ListOperation, rowsOf } from './rows.ts'
export { openStream } from './send.ts'
export { TimeIsUp, type Until, type WaitOptions, waitFor, waitForDeployment, waitForRun } from './wait.ts'
