import { JsonInput, Select, Switch, TextInput } from '@mantine/core'
import { useState } from 'react'
import { client } from '../../api/client.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { FormModal, textFieldValue } from '../../ui/forms/form-modal.tsx'

/** Common schemas. Other schemas are entered as JSON. */
const usual = { Text: { type: 'string' }, Number: { type: 'number' }, Boolean: { type: 'boolean' } } as const
type Kind = keyof typeof usual | 'Other'

/** Button that adds a default value under a new key. */
export const NewDefinition = () => {
  const [kind, setKind] = useState<Kind>('Text')
  const create = useApiMutation(
    (form: FormData) => {
      const description = textFieldValue(form, 'description')
      const data = {
        key: textFieldValue(form, 'key'),
        schema:
          kind === 'Other' ? (JSON.parse(textFieldValue(form, 'schema')) as Record<string, unknown>) : usual[kind],
        isSensitive: form.get('isSensitive') !== null,
        ...(description !== '' && { description }),
      }
      return client.createDefaultValueDefinition({ body: { data } })
    },
    ['listDefaultValueDefinitions'],
  )
  return (
    <FormModal
      permission="default-value-definitions:write"
      label="Create key"
      title="Create key"
      submit="Create"
      change={create}
      button={{ size: 'xs' }}
    >
      <TextInput
        name="key"
        label="Name"
        placeholder="iac_version"
        pattern="[A-Za-z_][A-Za-z0-9_]{0,99}"
        required
        data-autofocus
      />
      <TextInput name="description" label="Description" />
      <Select
        label="Value type"
        data={[...Object.keys(usual), 'Other']}
        value={kind}
        allowDeselect={false}
        onChange={(next) => setKind(next as Kind)}
      />
      {kind === 'Other' && (
        <JsonInput
          name="schema"
          label="JSON Schema"
          autosize
          minRows={4}
          formatOnBlur
          validationError="Enter valid JSON."
          defaultValue={'{\n  "type": "array",\n  "items": { "type": "string" }\n}'}
          required
        />
      )}
      <Switch name="isSensitive" label="Sensitive: encrypted and never shown. You can’t change this later." />
    </FormModal>
  )
}
