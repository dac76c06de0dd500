import { AsyncLocalStorage } from 'node:async_hooks'
import type { ECSClient } from '@aws-sdk/client-ecs'

const scope = new AsyncLocalStorage<() => void>()

/** Operations that change nothing, by how the cloud names them. */
const reads = /^(Describe|Filter|Get|Head|List)/

/**
 * Does work in which `check` comes before every request that changes the cloud, as the last thing of all: after the
 * request was built, credentials were fetched and it was signed. What `check` throws is thrown instead of sending it.
 */
export const withLastCheck = <T>(check: () => void, work: () => Promise<T>): Promise<T> => scope.run(check, work)

/** Makes a client heed `withLastCheck`. */
export function heedLastCheck<Client extends object>(client: Client): Client {
  // The clients' types differ in their commands alone, of which nothing is used here but the name.
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
