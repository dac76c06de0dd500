import type { Deployment, DeploymentEvent, PauseForecast } from '@sluice/contract'
import { useOperation } from '../api/use-operation.ts'

/** Returns the preview of a pause. `isPending` is true while it is loading. */
export function usePausePreview(
  { id }: Deployment,
  { hookId }: DeploymentEvent,
): { forecast: PauseForecast | undefined; isPending: boolean } {
  const { data, isFetching } = useDeploymentDetails(id)
  const forecast = data?.included?.forecast?.pauses.find((pause) => pause.hookId === hookId)
  return { forecast, isPending: !forecast && isFetching }
}

/** Additional data of a deployment, fetched separately so that the page doesn't wait for it. */
export const deploymentDetailsQuery = {
  include: ['analysis' as const, 'decisions' as const, 'forecast' as const, 'policies' as const, 'source' as const],
}

export const useDeploymentDetails = (id: string) =>
  useOperation('getDeployment', { params: { id }, query: deploymentDetailsQuery })
