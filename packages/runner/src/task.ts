import { randomBytes } from 'node:crypto'
import type { Redeemed } from '@sluice/contract/runner-protocol'
import { runnerPaths } from '@sluice/contract/runner-protocol/constants'
import { type Call, untilHeard } from './api/call.ts'
import type { Log } from './runner-log.ts'

/** Redeems the token that a task was started with: who its runner is, and what lets it claim. */
export function redeem(call: Call, token: string, log: Log): Promise<Redeemed> {
  const key = randomBytes(32).toString('base64url') // asked again with it, where the answer was lost
  const never = new AbortController().signal
  return untilHeard(
    () => call<Redeemed>(runnerPaths.redeem, token, { key }),
    never,
    (error) => log.warn({ err: error }, 'the API is waited for'),
  )
}

/** Where a task finds the credentials of its role and what it runs in; set by the cloud for the task alone. */
const identityVariables = [
  'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
  'AWS_CONTAINER_CREDENTIALS_FULL_URI',
  'AWS_CONTAINER_AUTHORIZATION_TOKEN',
  'AWS_REGION',
  'AWS_DEFAULT_REGION',
  'AWS_ENDPOINT_URL',
  'ECS_CONTAINER_METADATA_URI_V4',
]

/** What programs are given of the identity that their task has in the account. */
export const identityOfTask = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    identityVariables.flatMap((name) => {
      const value = env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
