import { Button, Group, MultiSelect, TextInput } from '@mantine/core'
import type { ServiceState } from '@sluice/contract'
import { useCompleteList } from '../api/use-pages.ts'
import { SearchInput } from '../ui/forms/search-input.tsx'
import type { Filters } from './filters.ts'
import { stateLabels } from './state-labels.ts'

type Props = { filters: Filters; onChange: (filters: Filters) => void }

/** Filters the services of a project. */
export const ServiceFilters = ({ filters, onChange }: Props) => {
  const { search = '', type = [], state = [], by = '' } = filters
  const definitions = useCompleteList('listModuleDefinitions', {})
  const kinds = [...new Set([...(definitions.data ?? []).map((one) => one.type), ...type])].toSorted()
  return (
    <Group gap="xs" role="search" aria-label="Service filters">
      <SearchInput
        size="xs"
        label="Search services"
        placeholder="Name or ID"
        value={search}
        onChange={(text) => onChange({ ...filters, search: text })}
      />
      <MultiSelect
        size="xs"
        aria-label="Filter by state"
        placeholder={state.length === 0 ? 'Any state' : ''}
        data={Object.entries(stateLabels).map(([value, label]) => ({ value, label }))}
        value={state}
        onChange={(chosen) => onChange({ ...filters, state: chosen as ServiceState[] })}
        clearable
        miw={160}
      />
      <MultiSelect
        size="xs"
        aria-label="Filter by type"
        placeholder={type.length === 0 ? 'Any type' : ''}
        data={kinds}
        value={type}
        onChange={(chosen) => onChange({ ...filters, type: chosen })}
        clearable
        searchable
        miw={160}
      />
      <TextInput
        size="xs"
        aria-label="Deployed by"
        placeholder="Deployed by"
        value={by}
        onChange={({ currentTarget }) => onChange({ ...filters, by: currentTarget.value })}
        w={150}
      />
      {Object.keys(filters).length > 0 && (
        <Button variant="subtle" size="xs" onClick={() => onChange({})}>
          Clear filters
        </Button>
      )}
    </Group>
  )
}
