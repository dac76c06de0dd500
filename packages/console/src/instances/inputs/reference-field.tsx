import { Autocomplete, Select } from '@mantine/core'
import { useOperation } from '../../api/use-operation.ts'
import { faultOf } from './fault.ts'
import { emptied, type FieldProps, wording } from './field.ts'

/** Another module instance of the environment, of the type that the input asks for. */
export const ReferenceField = (props: FieldProps) => {
  const { definition, place, value, onChange } = props
  const type = definition.type.slice('$ref:'.length)
  const { data } = useOperation('listModuleInstances', { query: { environmentId: place.environmentId, limit: 100 } })
  const fitting = (data?.data ?? []).filter((instance) => instance.type === type)
  const chosen = fitting.find(({ id, givenId }) => value === id || value === givenId)
  const unknown = typeof value === 'string' && !chosen ? [{ value, label: value }] : []
  return (
    <Select
      {...wording(props, faultOf(definition, value))}
      data={[...fitting.map(({ id, name }) => ({ value: id, label: name })), ...unknown]}
      value={chosen?.id ?? (typeof value === 'string' ? value : null)}
      onChange={(id) => onChange(id ?? emptied(definition))}
      placeholder={fitting.length === 0 ? `No ${type} in this environment yet` : `Choose a ${type}`}
      searchable={fitting.length > 8}
      clearable
    />
  )
}

/** A repository: a connected one, or any address. */
export const RepositoryField = (props: FieldProps) => {
  const { definition, value, onChange } = props
  const { data } = useOperation('listCodeSources', { query: { limit: 100 } })
  return (
    <Autocomplete
      {...wording(props, faultOf(definition, value))}
      data={[...new Set((data?.data ?? []).map(({ repoUrl }) => repoUrl))]}
      value={typeof value === 'string' ? value : ''}
      onChange={(text) => onChange(text || emptied(definition))}
    />
  )
}
