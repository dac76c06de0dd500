import { Select, TextInput } from '@mantine/core'
import { useContext } from 'react'
import { client } from '../../api/client.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useCompleteList } from '../../api/use-pages.ts'
import { AddForm } from '../../ui/forms/add-form.tsx'
import { textFieldValue } from '../../ui/forms/form-modal.tsx'
import { FormProblems } from '../../ui/forms/form-problems.ts'

/** Adds a domain to an environment. */
export const NewDomain = () => {
  const create = useApiMutation(
    (form: FormData) => client.createDomain({ body: { data: givenOf(form) } }),
    ['listDomains'],
  )
  return (
    <AddForm permission="domains:write" label="Add domain" submit="Add" change={create}>
      <Fields />
    </AddForm>
  )
}

const Fields = () => {
  const environments = useCompleteList('listEnvironments', {})
  const projects = useCompleteList('listProjects', {})
  const faults = useContext(FormProblems)
  return (
    <>
      <TextInput
        name="name"
        label="Domain"
        description="Use an asterisk for any single label: *.example.com."
        placeholder="shop.example.com"
        required
        maxLength={253}
        data-autofocus
        error={faults.name}
      />
      <Select
        name="environmentId"
        label="Environment"
        placeholder="Select an environment"
        required
        searchable
        data={(projects.data ?? []).map(({ id, name }) => ({
          group: name,
          items: (environments.data ?? []).flatMap((one) =>
            one.projectId === id ? [{ value: one.id, label: `${name} / ${one.name}` }] : [],
          ),
        }))}
        nothingFoundMessage="Create an environment first."
        error={faults.environmentId}
      />
      <TextInput name="description" label="Description" error={faults.description} />
    </>
  )
}

function givenOf(form: FormData) {
  const description = textFieldValue(form, 'description')
  return {
    environmentId: textFieldValue(form, 'environmentId'),
    name: textFieldValue(form, 'name').toLowerCase(),
    ...(description !== '' && { description }),
  }
}
