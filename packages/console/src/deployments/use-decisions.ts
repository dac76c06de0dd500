import { useMutation } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { client } from '../api/client.ts'
import { queryClient } from '../api/query-client.ts'
import { keyOf, useOperation } from '../api/use-operation.ts'

/** What a person can decide about a deployment. The page is right again as soon as the answer is there. */
export function useDecisions(id: string) {
  const router = useRouter()
  const { data: principal } = useOperation('whoami', {}, { staleTime: 60_000 })
  const onSuccess = async () => {
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: keyOf('getDeployment', { params: { id } }) }),
      queryClient.invalidateQueries({ queryKey: keyOf('listDeployments') }),
    ])
  }
  return {
    mayDecide: principal !== undefined && principal.data.role !== 'VIEWER',
    continue: useMutation({
      mutationFn: (hookId: string | undefined) =>
        client.continueDeployment({ params: { id }, body: { data: hookId === undefined ? {} : { hookId } } }),
      onSuccess,
    }),
    cancel: useMutation({ mutationFn: () => client.cancelDeployment({ params: { id } }), onSuccess }),
    redeploy: useMutation({
      mutationFn: () => client.redeployDeployment({ params: { id } }),
      onSuccess: async ({ data }) => {
        await onSuccess()
        await router.navigate({ to: '/console/deployments/$id', params: { id: data.id } })
      },
    }),
  }
}

export type Decisions = ReturnType<typeof useDecisions>
