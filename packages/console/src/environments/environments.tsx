import { Group, MultiSelect, Stack } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useCompleteList } from '../api/use-pages.ts'
import { moveCardFocus } from '../ui/arrow-keys.ts'
import { SearchInput } from '../ui/forms/search-input.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageTitle } from '../ui/page-title.tsx'
import { QueryResult } from '../ui/query-result.tsx'
import { EnvironmentSection } from './environment-section.tsx'
import { type InstanceFilters, instanceStatuses, parseInstanceFilters } from './instance-filters.ts'
import { NewEnvironment } from './new-environment.tsx'
import { ProjectGroup } from './project-group.tsx'
import { sortEnvironments } from './sort-environments.ts'
import { useEnvironmentOrders } from './use-environment-orders.ts'
import { useFolded } from './use-folded.ts'

const route = getRouteApi('/shell/console/environments')

/** Shows all environments with their instances. The address holds the filter. */
export const Environments = () => {
  const { search = '', status = [] } = route.useSearch()
  const navigate = route.useNavigate()
  const narrow = (wanted: InstanceFilters) => navigate({ search: parseInstanceFilters(wanted), replace: true })
  const environments = useCompleteList('listEnvironments', { limit: 100 })
  const projects = useCompleteList('listProjects', { limit: 100 })
  const orders = useEnvironmentOrders(projects.data?.map(({ id }) => id) ?? [])
  const [folded, toggle] = useFolded()
  const wanted = { text: search.trim().toLowerCase(), statuses: status }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the arrows move among the links inside, which are reachable without
    <div onKeyDown={moveCardFocus}>
      <Stack gap="lg">
        <PageTitle
          title="Environments"
          aside={
            <Group gap="sm">
              <MultiSelect
                aria-label="Filter by status"
                placeholder={status.length === 0 ? 'Any status' : ''}
                data={instanceStatuses.map((one) => ({ value: one, label: titled(one) }))}
                value={status}
                onChange={(chosen) => narrow(parseInstanceFilters({ search, status: chosen }))}
                clearable
                w={200}
              />
              <SearchInput
                label="Search module instances"
                placeholder="Name or type"
                value={search}
                onChange={(text) => narrow({ search: text, status })}
              />
              <NewEnvironment />
            </Group>
          }
        />
        <QueryResult of={environments}>
          {(data) =>
            data.length === 0 ? (
              <Notice title="No environments yet">
                Create an environment, such as production, to deploy services to it.
              </Notice>
            ) : (
              [...Map.groupBy(sortEnvironments(data, projects.data ?? [], orders), ({ projectId }) => projectId)].map(
                ([projectId, environments]) => {
                  const projectName = projects.data?.find(({ id }) => id === projectId)?.name ?? ''
                  return (
                    <ProjectGroup
                      key={projectId}
                      name={projectName}
                      environmentCount={environments.length}
                      isFolded={folded.has(projectId)}
                      onToggle={() => toggle(projectId)}
                    >
                      {environments.map((environment) => (
                        <EnvironmentSection
                          key={environment.id}
                          environment={environment}
                          projectName={projectName}
                          wanted={wanted}
                        />
                      ))}
                    </ProjectGroup>
                  )
                },
              )
            )
          }
        </QueryResult>
      </Stack>
    </div>
  )
}

const titled = (status: string): string => status.charAt(0) + status.slice(1).toLowerCase()
