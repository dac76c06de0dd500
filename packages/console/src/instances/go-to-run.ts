import { useRouter } from '@tanstack/react-router'
import { client } from '../api/client.ts'

/**
 * Leads to the run that changes the infrastructure of an instance now: there it goes on, and asks for approval. One
 * that waits for other instances has none yet: its page says so.
 */
export function useGoToRun(): (instanceId: string) => Promise<void> {
  const router = useRouter()
  return async (id) => {
    const { included } = await client.getModuleInstance({ params: { id }, query: { include: ['infrastructure'] } })
    const run = included?.infrastructure?.latestRunId
    if (run !== undefined) return router.navigate({ to: '/console/runs/$id', params: { id: run } })
    return router.navigate({ to: '/console/instances/$id', params: { id }, search: { tab: 'infrastructure' } })
  }
}
