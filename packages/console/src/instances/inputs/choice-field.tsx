import { MultiSelect, Select } from '@mantine/core'
import type { ValueOption } from '@sluice/contract'
import { useState } from 'react'
import { clearedValue, type FieldProps, fieldProps } from './field.ts'
import { useOptions } from './option-providers.ts'
import { validateInput } from './validate-input.ts'

/** Selects one or several options. Also accepts a value that is not listed. */
export const ChoiceField = (props: FieldProps) => {
  const { definition, value, onChange } = props
  const [search, setSearch] = useState('')
  const options = useOptions(props)
  const keyOf = definition.type === 'compound' ? fieldsKey(definition.fields ?? []) : (one: unknown) => String(one)
  const chosenOf = (option: ValueOption) => (definition.type === 'compound' ? option.fields : option.value)
  const byKey = new Map(options.map((option) => [keyOf(chosenOf(option)), option]))
  const isOpen = !Array.isArray(definition.values) && definition.type !== 'compound'
  const typed = isOpen && search.trim() !== '' && !byKey.has(search.trim()) ? [search.trim()] : []
  const present =
    value === null || value === undefined ? [] : definition.type === 'string_array' ? [value].flat() : [value]
  const unknown = [...new Set([...present.map(keyOf), ...typed])].filter((key) => !byKey.has(key))
  const data = [
    ...[...byKey].map(([key, { label }]) => ({ value: key, label })),
    ...unknown.map((key) => ({ value: key, label: key })),
  ]
  const toValue = (key: string): unknown => {
    const option = byKey.get(key)
    if (option) return chosenOf(option)
    return definition.type === 'compound' ? value : definition.type === 'number' ? Number(key) : key
  }
  const common = {
    ...fieldProps(props, validateInput(definition, value)),
    data,
    searchable: data.length > 8 || isOpen,
    searchValue: search,
    onSearchChange: setSearch,
    nothingFoundMessage: definition.no_options_message ?? 'No options available.',
    clearable: definition.required !== true,
  }
  if (definition.type === 'string_array') {
    const change = (keys: string[]) => onChange(keys.length === 0 ? clearedValue(definition) : keys.map(toValue))
    return <MultiSelect {...common} value={present.map(keyOf)} onChange={change} />
  }
  const chosen = present[0] === undefined ? null : keyOf(present[0])
  const about = chosen === null ? undefined : byKey.get(chosen)?.description
  return (
    <Select
      {...common}
      description={definition.description ?? about}
      value={chosen}
      onChange={(key) => onChange(key === null ? clearedValue(definition) : toValue(key))}
    />
  )
}

/** Joins the values of an object into one text. */
const fieldsKey = (fields: readonly string[]) => (value: unknown) =>
  fields
    .map((field) => `${field}: ${JSON.stringify((value as Record<string, unknown> | undefined)?.[field])}`)
    .join(', ')
