import { AsyncLocalStorage } from 'node:async_hooks'
import type { ECSClient } from '@aws-sdk/client-ecs'

const scope = new AsyncLocalStorage<() => void>()

/** Matches operations that change nothing. */
const reads = /^(Describe|Filter|Get|Head|List)/

/**
 * Runs work with a `check` before every request that changes the cloud, after the request was built and signed. If
 * `check` throws, the request is not sent.
 */
export const withLastCheck = <T>(check: () => void, work: () => Promise<T>): Promise<T> => scope.run(check, work)

/** Adds the check of `withLastCheck` to a client. */
export function addLastCheck<Client extends object>(client: Client): Client {
  // The clients' types differ only in their commands, of which this code uses only the name.
  const { middlewareStack } = client as unknown as Pick<ECSClient, 'middlewareStack'>
  middlewareStack.add(
    (next, { commandName = '' }) =>
      (args) => {
        if (!reads.test(commandName.replace(/Command$/, ''))) scope.getStore()?.()
        return next(args)
      },
    { name: 'lastCheck', step: 'deserialize', priority: 'low' },
  )
  return client
}
