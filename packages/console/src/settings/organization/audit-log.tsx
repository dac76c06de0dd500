import { Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { AuditEvent } from '@sluice/contract'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useOperation } from '../../api/use-operation.ts'
import { usePages } from '../../api/use-pages.ts'
import { usePermission } from '../../api/use-permission.ts'
import { channelLabels } from '../../decisions/decision-labels.ts'
import { IconDownload } from '../../ui/icons.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Section } from '../../ui/section.tsx'
import { Pages } from '../../ui/tables/pages.tsx'
import { TimeOfDay } from '../../ui/time.tsx'
import { RecordLink } from '../projects/record-link.tsx'
import type { Filters } from './audit-filter-names.ts'
import { AuditFilters } from './audit-filters.tsx'
import { auditQuery } from './audit-query.ts'
import { ChangedValues } from './changed-values.tsx'

const here = '/console/settings/audit-log'

/** Shows who changed what, when, and from where. */
export const AuditLog = () => {
  const may = usePermission('audit-events:read')
  const filters = useSearch({ from: '/shell/console/settings/audit-log' })
  const navigate = useNavigate()
  const show = (search: Filters) => navigate({ to: here, search, replace: true, resetScroll: false })
  const narrow = (name: keyof Filters, value: string) => {
    const { [name]: _, ...others } = filters
    return show(value === '' ? others : { ...others, [name]: value })
  }
  const [wanted] = useDebouncedValue(filters, 300)
  const query = auditQuery(wanted)
  const events = usePages('listAuditEvents', query, { enabled: may.isAllowed })
  if (!may.isAllowed) return <Notice title="Only owners can view the audit log">{may.reason}</Notice>
  return (
    <Section
      title="Audit events"
      aside={
        <Button
          component="a"
          href={`/audit-events/export?${new URLSearchParams(query)}`}
          download
          size="xs"
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
        >
          Export
        </Button>
      }
    >
      <AuditFilters filters={filters} onChange={narrow} onClear={() => show({})} />
      <Text size="sm" c="dimmed" aria-live="polite">
        <Count found={events.data?.pages[0]?.meta.totalCount} /> <Kept />
      </Text>
      <Pages
        of={events}
        empty={
          Object.keys(query).length > 0 ? (
            <Notice title="No matching events">
              The actor filter matches the start of a name. All other filters match exactly.
            </Notice>
          ) : (
            <Notice title="No events yet" />
          )
        }
      >
        {(event) => <Event of={event} onFilter={narrow} />}
      </Pages>
    </Section>
  )
}

const Count = ({ found }: { found: number | undefined }) =>
  found !== undefined && `${found.toLocaleString('en')} ${found === 1 ? 'event' : 'events'}.`

const Kept = () => {
  const { data } = useOperation('getAuditRetention', {})
  return data && `Events are kept for ${data.data.effectiveDays} days.`
}

type Props = { of: AuditEvent; onFilter: (name: keyof Filters, value: string) => void }

const Event = ({ of, onFilter }: Props) => {
  const { action, actorId, actorName, channel, resourceId, resourceType, createdAt, ipAddress } = of
  return (
    <Stack gap={4} py="xs">
      <Group justify="space-between" gap="xs">
        <Text size="sm">
          <Filtering onClick={() => onFilter('actorId', actorId)}>{actorName}</Filtering>
          {' · '}
          <Filtering onClick={() => onFilter('action', action)}>{action}</Filtering>
        </Text>
        <Text size="sm" c="dimmed">
          <TimeOfDay at={createdAt} />
        </Text>
      </Group>
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        <RecordLink type={resourceType} id={resourceId} />{' '}
        <Filtering onClick={() => onFilter('resourceId', resourceId)}>{resourceId}</Filtering>
        {' · via '}
        <Filtering onClick={() => onFilter('channel', channel)}>{channelLabels[channel]}</Filtering>
        {ipAddress && ` · from ${ipAddress}`}
      </Text>
      <ChangedValues {...of} />
    </Stack>
  )
}

/** Value that filters the log when clicked. */
const Filtering = ({ children, onClick }: { children: string; onClick: () => void }) => (
  <Anchor
    component="button"
    type="button"
    inherit
    c="inherit"
    underline="always"
    title={`Filter by ${children}`}
    onClick={onClick}
  >
    {children}
  </Anchor>
)
