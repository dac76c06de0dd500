import { Anchor, Code, Group, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { AuditEvent } from '@sluice/contract'
import { useState } from 'react'
import { useMay } from '../api/use-may.ts'
import { usePages } from '../api/use-pages.ts'
import { Notice } from '../ui/notice.tsx'
import { Pages } from '../ui/pages.tsx'
import { Section } from '../ui/section.tsx'
import { TimeAgo } from '../ui/time.tsx'

const fields = [
  { name: 'action', label: 'Action', placeholder: 'projects.create' },
  { name: 'resourceType', label: 'Kind', placeholder: 'project' },
  { name: 'resourceId', label: 'Id of what was changed', placeholder: 'prj_…' },
  { name: 'actorId', label: 'Id of who did it', placeholder: 'mem_…' },
] as const

type Filter = Partial<Record<(typeof fields)[number]['name'], string>>

/** Who changed what, when and from where. */
export const AuditLog = () => {
  const may = useMay('audit-events:read')
  const [typed, setTyped] = useState<Filter>({})
  const [wanted] = useDebouncedValue(typed, 300)
  const query = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== ''))
  const events = usePages('listAuditEvents', query, { enabled: may.isAllowed })
  if (!may.isAllowed) return <Notice title="The audit log is for owners">{may.reason}</Notice>
  return (
    <Section title="What was changed">
      <Group gap="sm" mb="sm">
        {fields.map(({ name, label, placeholder }) => (
          <TextInput
            key={name}
            label={label}
            placeholder={placeholder}
            size="xs"
            value={typed[name] ?? ''}
            onChange={({ currentTarget }) => setTyped({ ...typed, [name]: currentTarget.value.trim() })}
          />
        ))}
      </Group>
      <Pages
        of={events}
        empty={
          Object.keys(query).length > 0 ? (
            <Notice title="Nothing like that was done">Each filter takes the whole word, as the log shows it.</Notice>
          ) : (
            <Notice title="Nothing was changed yet" />
          )
        }
      >
        {(event) => <Event of={event} onFilter={(name, value) => setTyped({ ...typed, [name]: value })} />}
      </Pages>
    </Section>
  )
}

type Props = { of: AuditEvent; onFilter: (name: keyof Filter, value: string) => void }

const Event = ({ of, onFilter }: Props) => {
  const { action, actorId, actorName, resourceId, createdAt, ipAddress, details } = of
  return (
    <Stack gap={4} py="xs">
      <Group justify="space-between" gap="xs">
        <Text size="sm">
          <Filtering onClick={() => onFilter('actorId', actorId)}>{actorName}</Filtering>
          {' · '}
          <Filtering onClick={() => onFilter('action', action)}>{action}</Filtering>
        </Text>
        <Text size="sm" c="dimmed">
          <TimeAgo at={createdAt} />
        </Text>
      </Group>
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        <Filtering onClick={() => onFilter('resourceId', resourceId)}>{resourceId}</Filtering>
        {ipAddress && ` · from ${ipAddress}`}
      </Text>
      {details && Object.keys(details).length > 0 && (
        <Code style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>{JSON.stringify(details)}</Code>
      )}
    </Stack>
  )
}

/** A word of the log that narrows the log to itself. */
const Filtering = ({ children, onClick }: { children: string; onClick: () => void }) => (
  <Anchor
    component="button"
    type="button"
    inherit
    c="inherit"
    underline="always"
    title={`Only ${children}`}
    onClick={onClick}
  >
    {children}
  </Anchor>
)
