import { useRouter } from '@tanstack/react-router'
import { client } from '../api/client.ts'

/**
 * Opens the current infrastructure run of an instance, which asks for approval. Stays on the page if the change waits
 * for other instances.
 */
export function useOpenInfrastructureRun(): (instanceId: string) => Promise<void> {
  const router = useRouter()
  return async (id) => {
    const { included } = await client.getModuleInstance({ params: { id }, query: { include: ['infrastructure'] } })
    const run = included?.infrastructure?.latestRunId
    if (run !== undefined) return router.navigate({ to: '/console/runs/$id', params: { id: run } })
    return router.navigate({ to: '/console/instances/$id', params: { id }, search: { tab: 'infrastructure' } })
  }
}
