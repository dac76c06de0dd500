import type { DeploymentRollback } from '@sluice/contract'
import { useOperation } from '../api/use-operation.ts'

/** Returns where a rollback of a deployment may lead, as the service decides it; undefined until that is known. */
export function useRollback(id: string | undefined): DeploymentRollback | undefined {
  const request = { params: { id: id ?? '' }, query: { include: ['rollback' as const] } }
  return useOperation('getDeployment', request, { enabled: id !== undefined }).data?.included?.rollback
}
