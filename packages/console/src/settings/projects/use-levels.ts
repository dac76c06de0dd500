import { useOperation } from '../../api/use-operation.ts'
import { useWhole } from '../../api/use-pages.ts'
import { inOrder } from '../../environments/in-order.ts'
import { useOrders } from '../../environments/use-orders.ts'
import { allLevels, type Level } from './levels.ts'

/** Returns all scopes of rules: the organization, projects, and environments in configured order. */
export function useLevels(): Level[] {
  const { data: principal } = useOperation('whoami', {}, { staleTime: 60_000 })
  const projects = useWhole('listProjects', {})
  const environments = useWhole('listEnvironments', {})
  const orders = useOrders(projects.data?.map(({ id }) => id) ?? [])
  const organization = { id: principal?.data.organizationId ?? '', name: principal?.data.organizationName ?? '' }
  return allLevels(organization, projects.data ?? [], inOrder(environments.data ?? [], projects.data ?? [], orders))
}
