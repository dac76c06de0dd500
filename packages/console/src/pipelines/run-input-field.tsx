import { Select, Textarea, TextInput } from '@mantine/core'
import type { RunInput } from './config.ts'
import { fieldName, formatValue } from './run-inputs.ts'

type Props = { input: RunInput; fault: string | undefined }

/** Shows the field for an input type. */
export const RunInputField = ({ input, fault }: Props) => {
  const { id, type, label = id, description, required = false, values } = input
  const preset = formatValue(input.default, type)
  const common = { name: fieldName(input), label, description: description ?? '', error: fault, withAsterisk: required }
  if (type === 'boolean' || (values && type !== 'array' && type !== 'string_array')) {
    const options =
      type === 'boolean' && !values ? ['true', 'false'] : (values ?? []).map((value) => formatValue(value))
    return <Select {...common} data={options} defaultValue={preset || null} clearable={!required} />
  }
  if (type === 'string') return <TextInput {...common} defaultValue={preset} />
  if (type === 'number') return <TextInput {...common} inputMode="decimal" defaultValue={preset} />
  const hint = type === 'string_array' ? 'One per line.' : 'JSON value.'
  return (
    <Textarea
      {...common}
      description={[description, hint].filter(Boolean).join(' ')}
      autosize
      minRows={2}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      defaultValue={preset}
    />
  )
}
