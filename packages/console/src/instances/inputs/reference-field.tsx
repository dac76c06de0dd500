import { Autocomplete, Select } from '@mantine/core'
import { useCompleteList } from '../../api/use-pages.ts'
import { clearedValue, type FieldProps, fieldProps } from './field.ts'
import { validateInput } from './validate-input.ts'

/** Maximum number of options shown. All are searched. */
const maxOptionsShown = 100

/** Selects another module instance of the environment with the required type. */
export const ReferenceField = (props: FieldProps) => {
  const { definition, formState, value, onChange } = props
  const type = definition.type.slice('$ref:'.length)
  const { data } = useCompleteList('listModuleInstances', { environmentId: formState.environmentId })
  const fitting = (data ?? []).filter((instance) => instance.type === type)
  const chosen = fitting.find(({ id, givenId }) => value === id || value === givenId)
  const unknown = typeof value === 'string' && !chosen ? [{ value, label: value }] : []
  return (
    <Select
      {...fieldProps(props, validateInput(definition, value))}
      data={[...fitting.map(({ id, name }) => ({ value: id, label: name })), ...unknown]}
      value={chosen?.id ?? (typeof value === 'string' ? value : null)}
      onChange={(id) => onChange(id ?? clearedValue(definition))}
      placeholder={fitting.length === 0 ? `No ${type} in this environment yet` : `Choose a ${type}`}
      searchable={fitting.length > 8}
      limit={maxOptionsShown}
      clearable
    />
  )
}

/** Selects a connected repository, or accepts any URL. */
export const RepositoryField = (props: FieldProps) => {
  const { definition, value, onChange } = props
  const { data } = useCompleteList('listCodeSources', {})
  return (
    <Autocomplete
      {...fieldProps(props, validateInput(definition, value))}
      data={[...new Set((data ?? []).map(({ repoUrl }) => repoUrl))]}
      limit={maxOptionsShown}
      value={typeof value === 'string' ? value : ''}
      onChange={(text) => onChange(text || clearedValue(definition))}
    />
  )
}
