import { JsonInput, NumberInput, Switch, TagsInput, Textarea, TextInput } from '@mantine/core'
import { ChoiceField } from './choice-field.tsx'
import { clearedValue, type FieldProps, fieldProps } from './field.ts'
import { ItemsField } from './items-field.tsx'
import { KeyValueField } from './key-value-field.tsx'
import { isChoice, isTypedProvider, providerByInputId } from './option-providers.ts'
import { ReferenceField, RepositoryField } from './reference-field.tsx'
import { TypedField } from './typed-field.tsx'
import { validateInput } from './validate-input.ts'

/** Shows the field for an input type. */
export const InputField = (props: FieldProps) => {
  const { definition, value, onChange } = props
  const { type } = definition
  const words = fieldProps(props, validateInput(definition, value))
  if (type.startsWith('$ref:')) return <ReferenceField {...props} />
  if (isTypedProvider(definition)) return <TypedField {...props} />
  if (isChoice(definition) || providerByInputId(definition)) return <ChoiceField {...props} />
  switch (type) {
    case 'text':
      return (
        <Textarea
          {...words}
          autosize
          minRows={3}
          maxRows={12}
          value={textOf(value)}
          onChange={(event) => onChange(event.currentTarget.value || clearedValue(definition))}
        />
      )
    case 'number':
      return (
        <NumberInput
          {...words}
          min={definition.min ?? Number.NEGATIVE_INFINITY}
          max={definition.max ?? Number.POSITIVE_INFINITY}
          clampBehavior="none"
          value={typeof value === 'number' ? value : ''}
          onChange={(entered) => onChange(typeof entered === 'number' ? entered : clearedValue(definition))}
        />
      )
    case 'boolean':
      return (
        <Switch
          label={words.label}
          description={words.description}
          disabled={words.readOnly}
          error={words.error}
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      )
    case 'string_array':
      return (
        <TagsInput
          {...words}
          description={words.description ?? 'Press Enter after each entry.'}
          value={Array.isArray(value) ? value.map(String) : []}
          onChange={(entered) => onChange(entered.length === 0 ? clearedValue(definition) : entered)}
        />
      )
    case 'keyvalue':
      return <KeyValueField {...props} />
    case 'object_array':
    case 'object_map':
      return <ItemsField {...props} />
    case 'array':
    case 'object':
    case 'json':
      return <JsonField {...props} />
    case 'gitrepo':
      return <RepositoryField {...props} />
    default:
      return (
        <TextInput
          {...words}
          value={textOf(value)}
          onChange={(event) => onChange(event.currentTarget.value || clearedValue(definition))}
        />
      )
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Edits any JSON. Keeps invalid JSON in the field and reports it. */
const JsonField = (props: FieldProps) => {
  const { definition, value, onChange } = props
  const change = (text: string) => {
    if (text.trim() === '') return onChange(clearedValue(definition))
    try {
      onChange(JSON.parse(text))
    } catch {
      // half-written
    }
  }
  return (
    <JsonInput
      {...fieldProps(props, validateInput(definition, value))}
      autosize
      minRows={2}
      maxRows={16}
      formatOnBlur
      validationError="Enter valid JSON."
      defaultValue={value === null || value === undefined ? '' : JSON.stringify(value, null, 2)}
      onChange={change}
    />
  )
}
