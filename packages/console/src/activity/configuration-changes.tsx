import { usePages } from '../api/use-pages.ts'
import { AuditEventRow } from '../settings/audit/audit-event-row.tsx'
import { useRecordNames } from '../settings/audit/use-record-names.ts'
import { Notice } from '../ui/notice.tsx'
import { Section } from '../ui/section.tsx'
import { Pages } from '../ui/tables/pages.tsx'

/** Shows configuration changes of one project or of all from the audit log, for members who can read it. */
export const ConfigurationChanges = ({ projectId }: { projectId: string | undefined }) => {
  const events = usePages('listAuditEvents', projectId === undefined ? {} : { projectId })
  const names = useRecordNames(events.data?.pages.flatMap(({ data }) => data) ?? [])
  return (
    <Section title="Configuration changes">
      <Pages of={events} empty={<Notice title="No recent changes">{retentionNote}</Notice>}>
        {(event) => <AuditEventRow event={event} names={names} />}
      </Pages>
    </Section>
  )
}

const retentionNote = 'Changes are kept as long as the audit log. Its oldest events don’t include a project.'
