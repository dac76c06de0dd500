import { Button, Group, SegmentedControl, Select, TextInput } from '@mantine/core'
import { useInstance } from '../api/use-instance.ts'
import { useCompleteList } from '../api/use-pages.ts'
import type { Filters } from './filters.ts'
import { type Period, periodOf, periods } from './period.ts'

type Props = { filters: Filters; onChange: (filters: Filters) => void }

/** Filters of the reports page. */
export const ReportFilters = ({ filters, onChange }: Props) => {
  const { projectId, environmentId, moduleInstanceId, teamId } = filters
  const projects = useCompleteList('listProjects', { limit: 100 }).data ?? []
  const environments = useCompleteList('listEnvironments', {
    limit: 100,
    ...(projectId !== undefined && { projectId }),
  }).data
  const teams = useCompleteList('listTeams', { limit: 100 }).data ?? []
  const nameOfProject = (id: string) => projects.find((one) => one.id === id)?.name
  const { days: _, from: __, to: ___, ...untimed } = filters
  const without = (...names: (keyof Filters)[]) =>
    Object.fromEntries(Object.entries(filters).filter(([name]) => !names.includes(name as keyof Filters))) as Filters
  /** Selecting a wider scope clears narrower ones. */
  const choose = (name: keyof Filters, value: string | null, ...narrower: (keyof Filters)[]) =>
    onChange({ ...without(name, ...narrower), ...(value && { [name]: value }) })
  return (
    <Group gap="sm" align="flex-end" role="search" aria-label="Filters">
      <SegmentedControl
        aria-label="Period"
        data={periods.map((value) => ({ value, label: `${value} days` }))}
        value={periodOf(filters) ?? ''}
        onChange={(value) => onChange({ ...untimed, days: value as Period })}
      />
      <Day label="From" value={filters.from} onChange={(day) => choose('from', day, 'days')} />
      <Day label="To" value={filters.to} onChange={(day) => choose('to', day, 'days')} />
      <Select
        label="Project"
        placeholder="All"
        data={projects.map(({ id, name }) => ({ value: id, label: name }))}
        value={projectId ?? null}
        onChange={(id) => choose('projectId', id, 'environmentId', 'moduleInstanceId')}
        clearable
        searchable
        w={160}
      />
      <Select
        label="Environment"
        placeholder="All"
        data={(environments ?? []).map((one) => ({
          value: one.id,
          label: projectId === undefined ? `${one.name} · ${nameOfProject(one.projectId) ?? ''}` : one.name,
        }))}
        value={environmentId ?? null}
        onChange={(id) => choose('environmentId', id, 'moduleInstanceId')}
        clearable
        searchable
        w={180}
      />
      {teams.length > 0 && (
        <Select
          label="Team"
          placeholder="All"
          data={teams.map(({ id, name }) => ({ value: id, label: name }))}
          value={teamId ?? null}
          onChange={(id) => choose('teamId', id)}
          clearable
          searchable
          w={160}
        />
      )}
      {moduleInstanceId !== undefined && (
        <OnlyInstance id={moduleInstanceId} onClear={() => onChange(without('moduleInstanceId'))} />
      )}
    </Group>
  )
}

type DayProps = { label: string; value: string | undefined; onChange: (day: string) => void }

const Day = ({ label, value = '', onChange }: DayProps) => (
  <TextInput type="date" label={label} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)} />
)

const OnlyInstance = ({ id, onClear }: { id: string; onClear: () => void }) => {
  const name = useInstance(id)?.name ?? 'one instance'
  return (
    <Button variant="light" onClick={onClear} aria-label={`Only ${name}: remove filter`}>
      Only {name} ×
    </Button>
  )
}
