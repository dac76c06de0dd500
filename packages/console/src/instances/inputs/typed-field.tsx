import { Autocomplete, Text } from '@mantine/core'
import { faultOf } from './fault.ts'
import { emptied, type FieldProps, wording } from './field.ts'
import { useOptions } from './offers.ts'

/** All are searched; so many are shown of those that fit. */
const shownAtOnce = 100

/** A text that offers complete, such as the tag of an image; any other is taken as well. */
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
