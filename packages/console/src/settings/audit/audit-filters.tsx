import { Button, Group, Select, TextInput } from '@mantine/core'
import { actorLabels, channelLabels } from '../../decisions/decision-labels.ts'
import { describeAction, knownActions } from './action-phrases.ts'
import type { Filters } from './audit-filter-names.ts'
import { resourceTypeName, resourceTypes } from './resource-types.ts'

const words = [
  { name: 'actorName', label: 'Actor', placeholder: 'ada@example.com' },
  { name: 'actorId', label: 'Actor ID', placeholder: 'mem_…' },
  { name: 'resourceId', label: 'Resource ID', placeholder: 'prj_…' },
] as const

const days = [
  { name: 'from', label: 'From' },
  { name: 'to', label: 'To' },
] as const

/** Types of records and actions of the log, also one that only the address names. */
const actionChoices = (chosen: string | undefined) =>
  [...new Set([...knownActions(), ...(chosen ? [chosen] : [])])]
    .map((value) => ({ value, label: describeAction(value) }))
    .toSorted((one, other) => one.label.localeCompare(other.label))

const typeChoices = (chosen: string | undefined) =>
  [...new Set([...resourceTypes, ...(chosen ? [chosen] : [])])].map((value) => ({
    value,
    label: resourceTypeName(value),
  }))

const choices = (names: Readonly<Record<string, string>>) =>
  Object.entries(names).map(([value, label]) => ({ value, label }))

type Props = { filters: Filters; onChange: (name: keyof Filters, value: string) => void; onClear: () => void }

/** Filters of the audit log, held in the address, so that links can be shared. */
export const AuditFilters = ({ filters, onChange, onClear }: Props) => (
  <Group gap="sm" mb="sm" align="flex-end">
    {words.map(({ name, label, placeholder }) => (
      <TextInput
        key={name}
        label={label}
        placeholder={placeholder}
        size="xs"
        value={filters[name] ?? ''}
        onChange={({ currentTarget }) => onChange(name, currentTarget.value)}
      />
    ))}
    <Select
      label="Action"
      size="xs"
      clearable
      searchable
      w={260}
      data={actionChoices(filters.action)}
      value={filters.action ?? null}
      onChange={(value) => onChange('action', value ?? '')}
    />
    <Select
      label="Resource type"
      size="xs"
      clearable
      searchable
      data={typeChoices(filters.resourceType)}
      value={filters.resourceType ?? null}
      onChange={(value) => onChange('resourceType', value ?? '')}
    />
    <Select
      label="Actor type"
      size="xs"
      clearable
      data={choices(actorLabels)}
      value={filters.actorType ?? null}
      onChange={(value) => onChange('actorType', value ?? '')}
    />
    <Select
      label="Channel"
      size="xs"
      clearable
      data={choices(channelLabels)}
      value={filters.channel ?? null}
      onChange={(value) => onChange('channel', value ?? '')}
    />
    {days.map(({ name, label }) => (
      <TextInput
        key={name}
        type="date"
        label={label}
        size="xs"
        value={filters[name] ?? ''}
        onChange={({ currentTarget }) => onChange(name, currentTarget.value)}
      />
    ))}
    {Object.keys(filters).length > 0 && (
      <Button size="xs" variant="subtle" onClick={onClear}>
        Clear filters
      </Button>
    )}
  </Group>
)
