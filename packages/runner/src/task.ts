import { randomBytes } from 'node:crypto'
import type { RedeemTokenResponse } from '@sluice/contract/runner-protocol'
import { runnerPaths } from '@sluice/contract/runner-protocol/constants'
import { type Call, retryUntilAnswered } from './api/call.ts'
import type { Log } from './runner-log.ts'

/** Exchanges the token of an ephemeral runner's task for the runner's ID and token. */
export function redeemToken(call: Call, token: string, log: Log): Promise<RedeemTokenResponse> {
  const key = randomBytes(32).toString('base64url') // makes a retry idempotent when the response was lost
  const never = new AbortController().signal
  return retryUntilAnswered(
    () => call<RedeemTokenResponse>(runnerPaths.redeem, token, { key }),
    never,
    (error) => log.warn({ err: error }, 'the API is unavailable; retrying'),
  )
}

/** Variables that the cloud sets for a task: the credentials of its role and its metadata. */
const identityVariables = [
  'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
  'AWS_CONTAINER_CREDENTIALS_FULL_URI',
  'AWS_CONTAINER_AUTHORIZATION_TOKEN',
  'AWS_REGION',
  'AWS_DEFAULT_REGION',
  'AWS_ENDPOINT_URL',
  'ECS_CONTAINER_METADATA_URI_V4',
]

/** Returns the variables of the task's identity, which programs of steps inherit. */
export const readTaskIdentity = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    identityVariables.flatMap((name) => {
      const value = env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
