export {
  type Client,
  type ClientOptions,
  createClient,
  type Operation,
  type ReplyOf,
  type RequestOf,
} from './client.ts'
export { ApiError } from './error.ts'
export { operations } from './operations.generated.ts'
