import type { DeploymentRollback } from '@sluice/contract'
import { useOperation } from '../api/use-operation.ts'

/** Returns the release that a rollback would deploy; undefined until it is loaded. */
export function useRollback(id: string | undefined): DeploymentRollback | undefined {
  const request = { params: { id: id ?? '' }, query: { include: ['rollback' as const] } }
  return useOperation('getDeployment', request, { enabled: id !== undefined }).data?.included?.rollback
}
