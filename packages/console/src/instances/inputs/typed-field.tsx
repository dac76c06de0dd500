import { Autocomplete, Text } from '@mantine/core'
import { faultOf } from './fault.ts'
import { emptied, type FieldProps, wording } from './field.ts'
import { useOptions } from './offers.ts'

/** Maximum number of suggestions shown. All are searched. */
const shownAtOnce = 100

/** Text field with suggestions, such as image tags. Accepts any value. */
export const TypedField = (props: FieldProps) => {
  const { definition, value, onChange } = props
  const options = new Map(useOptions(props).map((option) => [String(option.value), option]))
  return (
    <Autocomplete
      {...wording(props, faultOf(definition, value))}
      data={[...options.keys()]}
      limit={shownAtOnce}
      renderOption={({ option }) => (
        <div>
          <Text size="sm">{options.get(option.value)?.label ?? option.value}</Text>
          <Text size="xs" c="dimmed" lineClamp={1}>
            {options.get(option.value)?.description}
          </Text>
        </div>
      )}
      value={typeof value === 'string' ? value : ''}
      onChange={(text) => onChange(text || emptied(definition))}
    />
  )
}
