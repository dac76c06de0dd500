import type { ECSClient } from '@aws-sdk/client-ecs'
import { CloudTransientError, callCloud } from './cloud-call.ts'

/** Completed API call to the cloud. */
export type ObservedCall = {
  /** Names as in the SDK, such as `ECS` and `DescribeServices`. */
  service: string
  operation: string
  result: 'ok' | 'refused' | 'throttled' | 'unavailable'
  seconds: number
}

/** Organization, account and region of a call. */
export type CalledPlace = { organizationId: string; cloudAccountId: string; region: string }

/** Returns the trace span of a call. */
export const spanOfCall = ({ service, operation, result, seconds }: ObservedCall, place: CalledPlace) => ({
  name: `${service} ${operation}`,
  kind: 'client' as const,
  attributes: {
    'rpc.system': 'aws-api',
    'rpc.service': service,
    'rpc.method': operation,
    'cloud.region': place.region,
    'sluice.organizationId': place.organizationId,
    'sluice.cloudAccountId': place.cloudAccountId,
  },
  seconds,
  failure: result === 'ok' ? undefined : result,
})

/** Reports every call that a client makes, whether it succeeds or fails. */
export function observeCalls<Client extends object>(client: Client, tell: (call: ObservedCall) => void): Client {
  // The clients' types differ only in their commands, of which this code uses only the name.
  const { middlewareStack } = client as unknown as Pick<ECSClient, 'middlewareStack'>
  middlewareStack.add(
    (next, { clientName = '', commandName = '' }) =>
      async (args) => {
        const from = performance.now()
        const over = (result: ObservedCall['result']) =>
          tell({
            service: clientName.replace(/Client$/, ''),
            operation: commandName.replace(/Command$/, ''),
            result,
            seconds: (performance.now() - from) / 1_000,
          })
        try {
          const answer = await next(args)
          over('ok')
          return answer
        } catch (error) {
          over(await resultOf(error))
          throw error
        }
      },
    { name: 'observe', step: 'initialize', priority: 'high' },
  )
  return client
}

async function resultOf(error: unknown): Promise<ObservedCall['result']> {
  const converted = await callCloud(() => Promise.reject(error)).catch((thrown) => thrown)
  if (!(converted instanceof CloudTransientError)) return 'refused'
  return converted.message.match(/throttl|TooManyRequests|rate exceeded|SlowDown/i) ? 'throttled' : 'unavailable'
}
