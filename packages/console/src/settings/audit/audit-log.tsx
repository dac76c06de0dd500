import { Button, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useOperation } from '../../api/use-operation.ts'
import { usePages } from '../../api/use-pages.ts'
import { usePermission } from '../../api/use-permission.ts'
import { IconDownload } from '../../ui/icons.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Section } from '../../ui/section.tsx'
import { Pages } from '../../ui/tables/pages.tsx'
import { AuditEventRow } from './audit-event-row.tsx'
import type { Filters } from './audit-filter-names.ts'
import { AuditFilters } from './audit-filters.tsx'
import { auditQuery } from './audit-query.ts'
import { useRecordNames } from './use-record-names.ts'

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
  const names = useRecordNames(events.data?.pages.flatMap(({ data }) => data) ?? [])
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
        {(event) => <AuditEventRow event={event} names={names} onFilter={narrow} />}
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
