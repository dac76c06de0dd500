import { Textarea, TextInput } from '@mantine/core'
import { useContext, useState } from 'react'
import { client } from '../api/client.ts'
import { useApiMutation } from '../api/use-api-mutation.ts'
import { detailsFromForm } from '../ui/forms/details-form.tsx'
import { FormModal, textFieldValue } from '../ui/forms/form-modal.tsx'
import { FormProblems } from '../ui/forms/form-problems.ts'
import { slugOf } from '../ui/forms/slug-input.ts'

/** Creates a module definition and opens its first version. */
export const NewModule = ({ onMade }: { onMade: (id: string) => unknown }) => {
  const create = useApiMutation(
    (form: FormData) =>
      client.createModuleDefinition({
        body: { data: { ...detailsFromForm(form), type: textFieldValue(form, 'type') } },
      }),
    ['listModuleDefinitions'],
    ({ data }) => onMade(data.id),
  )
  return (
    <FormModal
      permission="module-definitions:write"
      command="createModule"
      label="Create module"
      title="Create module"
      submit="Create"
      change={create}
    >
      <Fields />
    </FormModal>
  )
}

const Fields = () => {
  const faults = useContext(FormProblems)
  const [name, setName] = useState('')
  const [type, setType] = useState<string>()
  return (
    <>
      <TextInput
        name="name"
        label="Name"
        placeholder="Queue worker"
        required
        maxLength={200}
        data-autofocus
        value={name}
        error={faults.name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        name="type"
        label="Type"
        description="Programs and other modules use it. You can’t change it later."
        placeholder="queue-worker"
        required
        pattern="[a-z][a-z0-9\-]{0,99}"
        value={type ?? slugOf(name).replace(/^[^a-z]+/, '')}
        error={faults.type}
        onChange={(event) => setType(event.currentTarget.value || undefined)}
      />
      <Textarea name="description" label="Description" autosize minRows={2} />
    </>
  )
}
