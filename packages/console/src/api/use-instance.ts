import type { ModuleInstance } from '@sluice/contract'
import { useQuery } from '@tanstack/react-query'
import { client } from './client.ts'
import { queryKeyOf } from './use-operation.ts'

/** Maximum number of IDs that the server looks up at once. */
const maxIdsPerRequest = 50

type Asked = { id: string; found: (instance: ModuleInstance) => void; failed: (error: unknown) => void }

let asked: Asked[] = []

/** Returns a module instance by ID. Lookups at the same time share one request. */
export const useInstance = (id: string): ModuleInstance | undefined =>
  useQuery({
    queryKey: queryKeyOf('getModuleInstance', { params: { id } }),
    queryFn: () => ask(id),
    staleTime: 60_000, // a change of it is told
  }).data?.data

async function ask(id: string): Promise<{ data: ModuleInstance }> {
  const data = await new Promise<ModuleInstance>((found, failed) => {
    if (asked.length === 0) setTimeout(send)
    asked.push({ id, found, failed })
  })
  return { data }
}

function send(): void {
  const waiting = asked
  asked = []
  for (let from = 0; from < waiting.length; from += maxIdsPerRequest)
    lookUp(waiting.slice(from, from + maxIdsPerRequest))
}

async function lookUp(some: readonly Asked[]): Promise<void> {
  try {
    const { data } = await client.listModuleInstances({ query: { ids: some.map(({ id }) => id), limit: 100 } })
    for (const { id, found, failed } of some) {
      const instance = data.find((one) => one.id === id)
      if (instance) found(instance)
      else failed(new Error(`Module instance ${id} does not exist.`))
    }
  } catch (error) {
    for (const { failed } of some) failed(error)
  }
}
