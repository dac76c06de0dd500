import type { Deployment } from '@sluice/contract'
import { useMutation } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { client } from '../api/client.ts'
import { queryClient } from '../api/query-client.ts'
import { queryKeyOf } from '../api/use-operation.ts'

/** Provides the decisions about a deployment. The page updates as soon as the server answers. */
export function useDecisions(id: string) {
  const router = useRouter()
  const onSuccess = async () => {
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: queryKeyOf('getDeployment', { params: { id } }) }),
      queryClient.invalidateQueries({ queryKey: queryKeyOf('listDeployments') }),
    ])
  }
  const goToNew = async ({ data }: { data: Deployment }) => {
    await onSuccess()
    await router.navigate({ to: '/console/deployments/$id', params: { id: data.id } })
  }
  return {
    continue: useMutation({
      mutationFn: (hookId: string | undefined) =>
        client.continueDeployment({ params: { id }, body: { data: hookId === undefined ? {} : { hookId } } }),
      onSuccess,
    }),
    cancel: useMutation({ mutationFn: () => client.cancelDeployment({ params: { id } }), onSuccess }),
    redeploy: useMutation({ mutationFn: () => client.redeployDeployment({ params: { id } }), onSuccess: goToNew }),
    rollBack: useMutation({
      mutationFn: () => client.rollbackDeployment({ params: { id }, body: {} }),
      onSuccess: goToNew,
    }),
  }
}

export type Decisions = ReturnType<typeof useDecisions>
