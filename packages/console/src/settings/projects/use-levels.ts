import { useOperation } from '../../api/use-operation.ts'
import { useWhole } from '../../api/use-pages.ts'
import { inOrder } from '../../environments/in-order.ts'
import { useOrders } from '../../environments/use-orders.ts'
import { allLevels, type Level } from './levels.ts'

/** Where a rule may hold: the organization, its projects, and their environments in the order of their teams. */
export function useLevels(): Level[] {
  const { data: principal } = useOperation('whoami', {}, { staleTime: 60_000 })
  const projects = useWhole('listProjects', {})
  const environments = useWhole('listEnvironments', {})
  const orders = useOrders(projects.data?.map(({ id }) => id) ?? [])
  const organization = { id: principal?.data.organizationId ?? '', name: principal?.data.organizationName ?? '' }
  return allLevels(organization, projects.data ?? [], inOrder(environments.data ?? [], projects.data ?? [], orders))
}
