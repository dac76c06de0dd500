import { Group, MultiSelect, Stack } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useWhole } from '../api/use-pages.ts'
import { Answer } from '../ui/answer.tsx'
import { moveAmongCards } from '../ui/arrow-keys.ts'
import { SearchInput } from '../ui/forms/search-input.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageTitle } from '../ui/page-title.tsx'
import { EnvironmentSection } from './environment-section.tsx'
import { inOrder } from './in-order.ts'
import { NewEnvironment } from './new-environment.tsx'
import { useOrders } from './use-orders.ts'
import { statuses, type Wanted, wantedIn } from './wanted.ts'

const route = getRouteApi('/shell/console/environments')

/** Shows all environments with their instances. The address holds the filter. */
export const Environments = () => {
  const { search = '', status = [] } = route.useSearch()
  const navigate = route.useNavigate()
  const narrow = (wanted: Wanted) => navigate({ search: wantedIn(wanted), replace: true })
  const environments = useWhole('listEnvironments', { limit: 100 })
  const projects = useWhole('listProjects', { limit: 100 })
  const orders = useOrders(projects.data?.map(({ id }) => id) ?? [])
  const wanted = { text: search.trim().toLowerCase(), statuses: status }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the arrows move among the links inside, which are reachable without
    <div onKeyDown={moveAmongCards}>
      <Stack gap="lg">
        <PageTitle
          title="Environments"
          aside={
            <Group gap="sm">
              <MultiSelect
                aria-label="Filter by status"
                placeholder={status.length === 0 ? 'Any status' : ''}
                data={statuses.map((one) => ({ value: one, label: titled(one) }))}
                value={status}
                onChange={(chosen) => narrow(wantedIn({ search, status: chosen }))}
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
        <Answer of={environments}>
          {(data) =>
            data.length === 0 ? (
              <Notice title="No environments yet">
                Create an environment, such as production, to deploy services to it.
              </Notice>
            ) : (
              inOrder(data, projects.data ?? [], orders).map((environment) => (
                <EnvironmentSection
                  key={environment.id}
                  environment={environment}
                  project={projects.data?.find(({ id }) => id === environment.projectId)?.name}
                  wanted={wanted}
                />
              ))
            )
          }
        </Answer>
      </Stack>
    </div>
  )
}

const titled = (status: string): string => status.charAt(0) + status.slice(1).toLowerCase()
