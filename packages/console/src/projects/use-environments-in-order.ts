import type { Environment } from '@sluice/contract'
import { useOperation } from '../api/use-operation.ts'
import { useCompleteList } from '../api/use-pages.ts'

/** Returns the environments of a project in configured order; undefined while loading. */
export function useEnvironmentsInOrder(projectId: string): Environment[] | undefined {
  const all = useCompleteList('listEnvironments', { projectId, limit: 100 }).data
  const order = useOperation('getEnvironmentOrder', { params: { id: projectId } }).data?.data.order
  if (all === undefined || order === undefined) return undefined
  const known = order.flatMap((id) => all.find((one) => one.id === id) ?? [])
  return [...known, ...all.filter((one) => !order.includes(one.id))]
}
