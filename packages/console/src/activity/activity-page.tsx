import { Group, SegmentedControl, Stack, Text } from '@mantine/core'
import type { NotificationEvent } from '@sluice/contract'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { client } from '../api/client.ts'
import { queryKeyOf, useOperation } from '../api/use-operation.ts'
import { usePermission } from '../api/use-permission.ts'
import { Notice } from '../ui/notice.tsx'
import { PageTitle } from '../ui/page-title.tsx'
import { QueryResult } from '../ui/query-result.tsx'
import { Section } from '../ui/section.tsx'
import { Pages } from '../ui/tables/pages.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { InReadersTime, TimeOfDay } from '../ui/time.tsx'
import {
  type ActivityFilter,
  activityFilterNamed,
  activityFilters,
  configurationFilter,
  eventTypesOf,
} from './activity-filters.ts'
import { ConfigurationChanges } from './configuration-changes.tsx'
import { describeEvent, eventActor, eventReason, eventSubject, feedEventTypes } from './event-text.ts'

const route = getRouteApi('/shell/console/projects/$id/activity')

/** Shows a project's activity, newest first. The address holds the filter. */
export const ActivityPage = () => {
  const { id } = route.useParams()
  const { show } = route.useSearch()
  const navigate = route.useNavigate()
  const kind = activityFilterNamed(show)
  const readsLog = usePermission('audit-events:read').isAllowed
  const isOfChanges = readsLog && show === configurationFilter
  const project = useOperation('getProject', { params: { id } })
  return (
    <QueryResult of={project}>
      {({ data: { name } }) => (
        <Stack gap="lg" maw={960}>
          <PageTitle
            title="Activity"
            of={name}
            above={
              <TextLink to="/console/projects/$id" params={{ id }} size="sm">
                {name}
              </TextLink>
            }
          />
          <SegmentedControl
            aria-label="Filter by type"
            data={readsLog ? [...activityFilters, configurationFilter] : activityFilters}
            value={isOfChanges ? configurationFilter : kind}
            style={{ alignSelf: 'flex-start', maxWidth: '100%', overflowX: 'auto' }}
            onChange={(value) => navigate({ search: value === 'All' ? {} : { show: value }, replace: true })}
          />
          {isOfChanges ? <ConfigurationChanges projectId={id} /> : <Feed projectId={id} kind={kind} />}
        </Stack>
      )}
    </QueryResult>
  )
}

const Feed = ({ projectId, kind }: { projectId: string; kind: ActivityFilter }) => {
  const query = {
    ...{ projectId, order: 'NEWEST_FIRST' as const, limit: 50 },
    ...(kind !== 'All' && { types: eventTypesOf(kind, feedEventTypes) }),
  }
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
  'Activity is kept for 30 days, starting the day before someone first opened this page. New events appear automatically.'

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
