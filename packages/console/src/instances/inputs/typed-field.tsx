import { Autocomplete, Text } from '@mantine/core'
import { clearedValue, type FieldProps, fieldProps } from './field.ts'
import { useOptions } from './option-providers.ts'
import { validateInput } from './validate-input.ts'

/** Maximum number of suggestions shown. All are searched. */
const maxOptionsShown = 100

/** Text field with suggestions, such as image tags. Accepts any value. */
export const TypedField = (props: FieldProps) => {
  const { definition, value, onChange } = props
  const options = new Map(useOptions(props).map((option) => [String(option.value), option]))
  return (
    <Autocomplete
      {...fieldProps(props, validateInput(definition, value))}
      data={[...options.keys()]}
      limit={maxOptionsShown}
      renderOption={({ option }) => (
        <div>
          <Text size="sm">{options.get(option.value)?.label ?? option.value}</Text>
          <Text size="xs" c="dimmed" lineClamp={1}>
            {options.get(option.value)?.description}
          </Text>
        </div>
      )}
      value={typeof value === 'string' ? value : ''}
      onChange={(text) => onChange(text || clearedValue(definition))}
    />
  )
}
