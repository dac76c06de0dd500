import { Button, Group, MultiSelect, Select, Text, TextInput } from '@mantine/core'
import type { DeploymentStatus } from '@sluice/contract'
import { useCompleteList } from '../api/use-pages.ts'
import { type Period, periodOf, periods } from '../reports/period.ts'
import { SearchInput } from '../ui/forms/search-input.tsx'
import { type DeploymentSearch, deploymentStatusLabels, isFiltered } from './deployment-filters.ts'

type Props = { search: DeploymentSearch; onChange: (search: DeploymentSearch) => void }

/** Filters of the deployments page. */
export const DeploymentFilterRow = ({ search, onChange }: Props) => {
  const { project, environment, service = '', by = '', version = '', status = [] } = search
  const projects = useCompleteList('listProjects', { limit: 100 }).data ?? []
  const all = useCompleteList('listEnvironments', { limit: 100 }).data ?? []
  const environments = project === undefined ? all : all.filter(({ projectId }) => projectId === project)
  const nameOf = (id: string) => projects.find((one) => one.id === id)?.name
  /** An empty value removes the filter. */
  const narrow = (changed: { [name in keyof DeploymentSearch]?: DeploymentSearch[name] | '' | null }) =>
    onChange(
      Object.fromEntries(
        Object.entries({ ...search, ...changed }).filter(([, value]) => value && String(value) !== ''),
      ) as DeploymentSearch,
    )
  return (
    <Group gap="sm" align="flex-end" role="search" aria-label="Deployment filters">
      <SearchInput
        label="Service"
        placeholder="Service"
        value={service}
        onChange={(text) => narrow({ service: text })}
      />
      {projects.length > 1 && (
        <Select
          aria-label="Project"
          placeholder="All projects"
          data={projects.map(({ id, name }) => ({ value: id, label: name }))}
          value={project ?? null}
          onChange={(id) => narrow({ project: id, environment: '' })}
          clearable
          searchable
          w={160}
        />
      )}
      <Select
        aria-label="Environment"
        placeholder="All environments"
        data={environments.map(({ id, name, projectId }) => ({
          value: id,
          label: projects.length > 1 ? [name, nameOf(projectId)].filter(Boolean).join(' · ') : name,
        }))}
        value={environment ?? null}
        onChange={(id) => narrow({ environment: id })}
        clearable
        searchable
        w={180}
      />
      <TextInput
        aria-label="Version"
        placeholder="Version"
        value={version}
        onChange={({ currentTarget }) => narrow({ version: currentTarget.value })}
        w={120}
      />
      <TextInput
        aria-label="Person"
        placeholder="Person"
        value={by}
        onChange={({ currentTarget }) => narrow({ by: currentTarget.value })}
        w={140}
      />
      <MultiSelect
        aria-label="Filter by status"
        placeholder={status.length === 0 ? 'Any status' : ''}
        data={Object.entries(deploymentStatusLabels).map(([value, label]) => ({ value, label }))}
        value={status}
        onChange={(chosen) => narrow({ status: chosen as DeploymentStatus[] })}
        clearable
        miw={160}
      />
      <Select
        aria-label="Period"
        data={periods.map((value) => ({ value, label: `Last ${value} days` }))}
        placeholder="Selected days"
        value={periodOf(search) ?? null}
        onChange={(value) => narrow({ days: value as Period, from: '', to: '' })}
        allowDeselect={false}
        w={150}
      />
      <Day label="From" value={search.from} onChange={(day) => narrow({ from: day, days: '' })} />
      <Day label="To" value={search.to} onChange={(day) => narrow({ to: day, days: '' })} />
      {isFiltered(search) && (
        <Button
          variant="subtle"
          onClick={() =>
            narrow({
              project: '',
              environment: '',
              service: '',
              by: '',
              version: '',
              status: null,
              days: '',
              from: '',
              to: '',
            })
          }
        >
          Clear filters
        </Button>
      )}
    </Group>
  )
}

type DayProps = { label: string; value: string | undefined; onChange: (day: string) => void }

const Day = ({ label, value = '', onChange }: DayProps) => (
  <TextInput
    type="date"
    aria-label={label}
    leftSection={
      <Text size="xs" c="dimmed">
        {label}
      </Text>
    }
    leftSectionWidth={44}
    value={value}
    onChange={({ currentTarget }) => onChange(currentTarget.value)}
    w={176}
  />
)
