import type { Deployment, DeploymentEvent, PauseOutlook } from '@sluice/contract'
import { useOperation } from '../api/use-operation.ts'

/** What comes of a pause; `isAwaited` while it is asked for, until it is known or cannot be had. */
export function useOutlook(
  { id }: Deployment,
  { hookId }: DeploymentEvent,
): { outlook: PauseOutlook | undefined; isAwaited: boolean } {
  const { data, isFetching } = useMore(id)
  const outlook = data?.included?.outlook?.pauses.find((pause) => pause.hookId === hookId)
  return { outlook, isAwaited: !outlook && isFetching }
}

/** What comes beside a deployment: it is asked for apart, so that the page need not wait for it. */
export const moreOfDeployment = {
  include: ['analysis' as const, 'decisions' as const, 'outlook' as const, 'policies' as const, 'source' as const],
}

export const useMore = (id: string) => useOperation('getDeployment', { params: { id }, query: moreOfDeployment })
