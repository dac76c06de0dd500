import { Group, Stack, Text } from '@mantine/core'
import type { AuditEvent } from '@sluice/contract'
import { usePages } from '../api/use-pages.ts'
import { ChangedValues } from '../settings/organization/changed-values.tsx'
import { RecordLink } from '../settings/projects/record-link.tsx'
import { Notice } from '../ui/notice.tsx'
import { Section } from '../ui/section.tsx'
import { Pages } from '../ui/tables/pages.tsx'
import { TimeOfDay } from '../ui/time.tsx'

/** Shows configuration changes of one project or of all from the audit log, for members who can read it. */
export const ConfigurationChanges = ({ projectId }: { projectId: string | undefined }) => {
  const events = usePages('listAuditEvents', projectId === undefined ? {} : { projectId })
  return (
    <Section title="Configuration changes">
      <Pages of={events} empty={<Notice title="No recent changes">{retentionNote}</Notice>}>
        {(event) => <Line event={event} />}
      </Pages>
    </Section>
  )
}

const retentionNote = 'Changes are kept as long as the audit log. Its oldest events don’t include a project.'

const Line = ({ event }: { event: AuditEvent }) => {
  const { action, actorName, resourceType, resourceId, createdAt } = event
  return (
    <Stack gap={2} py="xs">
      <Group justify="space-between" gap="xs" align="baseline">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          <Text span inherit fw={600}>
            {action}
          </Text>{' '}
          · <RecordLink type={resourceType} id={resourceId} /> {resourceId}
        </Text>
        <Text size="sm" c="dimmed">
          {actorName} · <TimeOfDay at={createdAt} />
        </Text>
      </Group>
      <ChangedValues {...event} />
    </Stack>
  )
}
