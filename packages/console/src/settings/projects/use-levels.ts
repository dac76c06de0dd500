import { useOperation } from '../../api/use-operation.ts'
import { useCompleteList } from '../../api/use-pages.ts'
import { sortEnvironments } from '../../environments/sort-environments.ts'
import { useEnvironmentOrders } from '../../environments/use-environment-orders.ts'
import { allLevels, type Level } from './levels.ts'

/** Returns all scopes of rules: the organization, projects, and environments in configured order. */
export function useLevels(): Level[] {
  const { data: principal } = useOperation('whoami', {}, { staleTime: 60_000 })
  const projects = useCompleteList('listProjects', {})
  const environments = useCompleteList('listEnvironments', {})
  const orders = useEnvironmentOrders(projects.data?.map(({ id }) => id) ?? [])
  const organization = { id: principal?.data.organizationId ?? '', name: principal?.data.organizationName ?? '' }
  return allLevels(
    organization,
    projects.data ?? [],
    sortEnvironments(environments.data ?? [], projects.data ?? [], orders),
  )
}
