import { Button, Group, SegmentedControl, Select, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { NotificationEvent } from '@sluice/contract'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { client } from '../api/client.ts'
import { queryKeyOf } from '../api/use-operation.ts'
import { useCompleteList } from '../api/use-pages.ts'
import { usePermission } from '../api/use-permission.ts'
import { SearchInput } from '../ui/forms/search-input.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageTitle } from '../ui/page-title.tsx'
import { Section } from '../ui/section.tsx'
import { Pages } from '../ui/tables/pages.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { InReadersTime, TimeOfDay } from '../ui/time.tsx'
import {
  type ActivitySearch,
  activityFilterNamed,
  activityFilters,
  activityQuery,
  configurationFilter,
} from './activity-filters.ts'
import { ConfigurationChanges } from './configuration-changes.tsx'
import { describeEvent, eventActor, eventReason, eventSubject, feedEventTypes } from './event-text.ts'

const route = getRouteApi('/shell/console/activity')

/** Delay after the last key press before searching. */
const typingMs = 200

/** Shows what happened in all projects, newest first. The address holds the filters. */
export const ActivityPage = () => {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const readsLog = usePermission('audit-events:read').isAllowed
  const isOfChanges = readsLog && search.show === configurationFilter
  const narrow = (wanted: ActivitySearch) =>
    navigate({ search: Object.fromEntries(Object.entries(wanted).filter(([, value]) => value)), replace: true })
  return (
    <Stack gap="lg" maw={960}>
      <PageTitle title="Activity" />
      <SegmentedControl
        aria-label="Filter by type"
        data={readsLog ? [...activityFilters, configurationFilter] : activityFilters}
        value={isOfChanges ? configurationFilter : activityFilterNamed(search.show)}
        style={{ alignSelf: 'flex-start', maxWidth: '100%', overflowX: 'auto' }}
        onChange={(value) => narrow({ ...search, show: value === 'All' ? '' : value })}
      />
      <ScopeFilters search={search} isOfChanges={isOfChanges} onChange={narrow} />
      {isOfChanges ? <ConfigurationChanges projectId={search.project} /> : <Feed search={search} />}
    </Stack>
  )
}

type FilterProps = {
  search: ActivitySearch
  /** Configuration changes have no environment, service or person to filter by. */
  isOfChanges: boolean
  onChange: (search: ActivitySearch) => void
}

const ScopeFilters = ({ search, isOfChanges, onChange }: FilterProps) => {
  const { project = '', environment = '', service = '', by = '' } = search
  const projects = useCompleteList('listProjects', { limit: 100 }).data ?? []
  const all = useCompleteList('listEnvironments', { limit: 100 }).data ?? []
  const environments = project === '' ? all : all.filter(({ projectId }) => projectId === project)
  const nameOf = (id: string) => projects.find((one) => one.id === id)?.name
  return (
    <Group gap="sm" role="search" aria-label="Activity filters">
      <Select
        aria-label="Project"
        placeholder="All projects"
        data={projects.map(({ id, name }) => ({ value: id, label: name }))}
        value={project || null}
        onChange={(id) => onChange({ ...search, project: id ?? '', environment: '' })}
        clearable
        searchable
        w={180}
      />
      {!isOfChanges && (
        <>
          <Select
            aria-label="Environment"
            placeholder="All environments"
            data={environments.map(({ id, name, projectId }) => ({
              value: id,
              label: project === '' ? [name, nameOf(projectId)].filter(Boolean).join(' · ') : name,
            }))}
            value={environment || null}
            onChange={(id) => onChange({ ...search, environment: id ?? '' })}
            clearable
            searchable
            w={200}
          />
          <SearchInput
            label="Service"
            placeholder="Service"
            value={service}
            onChange={(text) => onChange({ ...search, service: text })}
          />
          <SearchInput
            label="Person"
            placeholder="Person"
            value={by}
            onChange={(text) => onChange({ ...search, by: text })}
          />
        </>
      )}
      {(project || environment || service || by) && (
        <Button variant="subtle" onClick={() => onChange({ show: search.show ?? '' })}>
          Clear filters
        </Button>
      )}
    </Group>
  )
}

const Feed = ({ search }: { search: ActivitySearch }) => {
  const [settled] = useDebouncedValue(search, typingMs)
  const query = { order: 'NEWEST_FIRST' as const, limit: 50, ...activityQuery(settled, feedEventTypes) }
  const pages = useInfiniteQuery({
    queryKey: [...queryKeyOf('listNotificationEvents', { query }), 'pages'],
    queryFn: async ({ pageParam, signal }) => {
      const where = pageParam === '' ? query : { ...query, before: pageParam }
      const { data, meta } = await client.listNotificationEvents({ query: where }, { signal })
      return { data: data.map((event) => ({ ...event, id: event.position })), meta }
    },
    initialPageParam: '',
    getNextPageParam: ({ meta }) => (meta.hasMore ? meta.position : undefined),
  })
  return (
    <Section title="Events">
      <Pages of={pages} empty={<Notice title="No recent activity">{retentionNote}</Notice>}>
        {(event) => <Line payload={event.payload} />}
      </Pages>
    </Section>
  )
}

const retentionNote =
  'Releases, runs and holds of the last 30 days appear here automatically, starting the day before someone first opened this page.'

const Line = ({ payload }: Pick<NotificationEvent, 'payload'>) => {
  const { name, to, id } = eventSubject(payload)
  const [who, why] = [eventActor(payload), eventReason(payload)]
  return (
    <Stack gap={2} py="xs">
      <Group justify="space-between" gap="xs" align="baseline">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {to && id !== undefined ? (
            <TextLink to={to} params={{ id }} inherit fw={600}>
              {name}
            </TextLink>
          ) : (
            <Text span inherit fw={600}>
              {name}
            </Text>
          )}{' '}
          {describeEvent(payload.type)}
        </Text>
        <Text size="sm" c="dimmed">
          {who && `${who} · `}
          <TimeOfDay at={payload.timestamp} />
        </Text>
      </Group>
      {why !== undefined && (
        <Text size="sm" c="dimmed" lineClamp={3} style={{ overflowWrap: 'anywhere' }}>
          <InReadersTime sentence={why} />
        </Text>
      )}
    </Stack>
  )
}
