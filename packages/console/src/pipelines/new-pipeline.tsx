import { Select, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { client } from '../api/client.ts'
import { useApiMutation } from '../api/use-api-mutation.ts'
import { useCompleteList } from '../api/use-pages.ts'
import { FormModal, textFieldValue } from '../ui/forms/form-modal.tsx'
import { NameAndId } from '../ui/tables/name-and-id.tsx'

/** Creates a pipeline and opens its first version. */
export const NewPipeline = () => {
  const navigate = useNavigate()
  const projects = useCompleteList('listProjects', {})
  const create = useApiMutation(
    (form: FormData) => {
      const description = textFieldValue(form, 'description')
      const data = {
        projectId: textFieldValue(form, 'projectId'),
        givenId: textFieldValue(form, 'givenId'),
        name: textFieldValue(form, 'name'),
        ...(description !== '' && { description }),
      }
      return client.createPipeline({ body: { data } })
    },
    ['listPipelines'],
    ({ data }) => navigate({ to: '/console/pipelines/$id', params: { id: data.id }, search: { tab: 'configuration' } }),
  )
  return (
    <FormModal
      permission="pipelines:write"
      command="createPipeline"
      label="Create pipeline"
      title="Create pipeline"
      outcome="The pipeline opens with an editor for its first version."
      submit="Create"
      change={create}
    >
      <Select
        name="projectId"
        label="Project"
        required
        allowDeselect={false}
        data={projects.data?.map(({ id, name }) => ({ value: id, label: name })) ?? []}
        defaultValue={projects.data?.[0]?.id ?? null}
        key={projects.data?.[0]?.id}
      />
      <NameAndId example="Release the shop" />
      <TextInput name="description" label="Description" />
    </FormModal>
  )
}
