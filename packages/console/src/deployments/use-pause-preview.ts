import type { Deployment, DeploymentEvent, PauseOutlook } from '@sluice/contract'
import { useOperation } from '../api/use-operation.ts'

/** Returns the preview of a pause. `isAwaited` is true while it is loading. */
export function usePausePreview(
  { id }: Deployment,
  { hookId }: DeploymentEvent,
): { outlook: PauseOutlook | undefined; isAwaited: boolean } {
  const { data, isFetching } = useDeploymentDetails(id)
  const outlook = data?.included?.outlook?.pauses.find((pause) => pause.hookId === hookId)
  return { outlook, isAwaited: !outlook && isFetching }
}

/** Additional data of a deployment, fetched separately so that the page doesn't wait for it. */
export const deploymentDetailsQuery = {
  include: ['analysis' as const, 'decisions' as const, 'outlook' as const, 'policies' as const, 'source' as const],
}

export const useDeploymentDetails = (id: string) =>
  useOperation('getDeployment', { params: { id }, query: deploymentDetailsQuery })
