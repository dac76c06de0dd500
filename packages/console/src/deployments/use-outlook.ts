import type { Deployment, DeploymentEvent, PauseOutlook } from '@sluice/contract'
import { useOperation } from '../api/use-operation.ts'

/** Returns the preview of a pause. `isAwaited` is true while it is loading. */
export function useOutlook(
  { id }: Deployment,
  { hookId }: DeploymentEvent,
): { outlook: PauseOutlook | undefined; isAwaited: boolean } {
  const { data, isFetching } = useMore(id)
  const outlook = data?.included?.outlook?.pauses.find((pause) => pause.hookId === hookId)
  return { outlook, isAwaited: !outlook && isFetching }
}

/** Additional data of a deployment, fetched separately so that the page doesn't wait for it. */
export const moreOfDeployment = {
  include: ['analysis' as const, 'decisions' as const, 'outlook' as const, 'policies' as const, 'source' as const],
}

export const useMore = (id: string) => useOperation('getDeployment', { params: { id }, query: moreOfDeployment })
