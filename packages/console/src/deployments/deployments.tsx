import { Divider, SegmentedControl, Stack, Text } from '@mantine/core'
import type { Deployment } from '@sluice/contract'
import { unfinishedDeploymentStatuses } from '@sluice/contract/states'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { client } from '../api/client.ts'
import { ErrorPanel, errorOf } from '../ui/error-panel.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageTitle } from '../ui/page-title.tsx'
import { Section } from '../ui/section.tsx'
import { ShowMore } from '../ui/tables/show-more.tsx'
import { DeploymentRow } from './deployment-row.tsx'

const route = getRouteApi('/shell/console/deployments')

const filters = {
  All: undefined,
  'In progress': unfinishedDeploymentStatuses,
  Succeeded: ['SUCCESS'],
  Failed: ['ERROR', 'ROLLED_BACK', 'CANCELLED'],
} as const satisfies Record<string, readonly Deployment['status'][] | undefined>

const isFilter = (name: string | undefined): name is keyof typeof filters =>
  name !== undefined && Object.hasOwn(filters, name)

/** Lists all deployments, newest first. The address holds the filter. */
export const Deployments = () => {
  const { show } = route.useSearch()
  const navigate = route.useNavigate()
  const filter = isFilter(show) ? show : 'All'
  const status = filters[filter]
  const pages = useInfiniteQuery({
    queryKey: ['listDeployments', 'pages', filter],
    queryFn: ({ pageParam, signal }) =>
      client.listDeployments(
        { query: { ...(pageParam !== '' && { cursor: pageParam }), ...(status && { status: [...status] }) } },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ meta }) => meta.nextCursor || undefined,
  })
  const { data, error } = pages
  const rows = data?.pages.flatMap((page) => page.data) ?? []
  return (
    <Stack gap="lg" maw={960}>
      <PageTitle
        title="Deployments"
        of={filter === 'All' ? undefined : filter}
        aside={
          <SegmentedControl
            aria-label="Filter by status"
            data={Object.keys(filters)}
            value={filter}
            onChange={(value) => navigate({ search: value === 'All' ? {} : { show: value }, replace: true })}
          />
        }
      />
      {error && <ErrorPanel error={errorOf(error)} />}
      <Section title={filter} aside={<Text c="dimmed">{data?.pages[0]?.meta.totalCount}</Text>}>
        {data && rows.length === 0 && (
          <Notice title="No deployments here">Deploy an instance from its page under Environments.</Notice>
        )}
        {rows.map((deployment, index) => (
          <div key={deployment.id}>
            {index > 0 && <Divider />}
            <DeploymentRow deployment={deployment} />
          </div>
        ))}
        <ShowMore of={pages} />
      </Section>
    </Stack>
  )
}
