import { Textarea } from '@mantine/core'
import { client } from '../api/client.ts'
import { useApiMutation } from '../api/use-api-mutation.ts'
import { detailsFromForm } from '../ui/forms/details-form.tsx'
import { FormModal, textFieldValue } from '../ui/forms/form-modal.tsx'
import { NameAndId } from '../ui/tables/name-and-id.tsx'

/** Creates a project and calls `onMade` with its ID. */
export const NewProject = ({ onMade }: { onMade?: (id: string) => unknown }) => {
  const create = useApiMutation(
    (form: FormData) =>
      client.createProject({ body: { data: { ...detailsFromForm(form), givenId: textFieldValue(form, 'givenId') } } }),
    ['listProjects'],
    ({ data }) => onMade?.(data.id),
  )
  return (
    <FormModal
      permission="projects:write"
      command="createProject"
      label="Create project"
      title="Create project"
      outcome="The project is empty at first. Add environments to it next."
      submit="Create"
      change={create}
      button={{ size: 'xs' }}
    >
      <NameAndId example="Web shop" />
      <Textarea name="description" label="Description" autosize minRows={2} />
    </FormModal>
  )
}
