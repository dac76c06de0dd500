// biome-ignore-all lint/style/noRestrictedGlobals: the job configures the URL of the service.

import { createIdTokenFetch } from '@sluice/calls/id-token'
import { UsageError } from '@sluice/calls/usage-error'
import { type Client, createClient } from '@sluice/client'
import manifest from '../package.json' with { type: 'json' }
import type { Host } from './hosts.ts'
import type { Inputs } from './inputs.ts'

/** URL of the service and the credentials of the caller. */
export type Service = { url: string; serviceAccount: string; token: string }

/** Names of the inputs for them. */
export const serviceInputs = ['url', 'service_account', 'token'] as const

export function readService(input: Inputs): Service {
  const url = input('url')
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    throw new UsageError('url is where Sluice is, such as https://sluice.example.com.')
  }
  const [serviceAccount, token] = [input('service_account'), input('token')]
  if (serviceAccount === '' && token === '') throw new UsageError('Who calls? Set service_account, or token.')
  return { url: url.replace(/\/+$/, ''), serviceAccount, token }
}

const userAgent = `sluice-ci/${manifest.version}`

export function connect({ url: baseUrl, serviceAccount: serviceAccountId, token }: Service, host: Host): Client {
  if (token !== '') {
    host.hide(token)
    return createClient({ baseUrl, userAgent, token })
  }
  return createClient({
    baseUrl,
    userAgent,
    fetch: createIdTokenFetch({ baseUrl, serviceAccountId, userAgent, fetch }),
  })
}
