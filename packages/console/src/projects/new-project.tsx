import { Textarea } from '@mantine/core'
import { client } from '../api/client.ts'
import { useChange } from '../api/use-change.ts'
import { detailsIn } from '../ui/forms/details-form.tsx'
import { FormModal, textOf } from '../ui/forms/form-modal.tsx'
import { NameAndId } from '../ui/tables/name-and-id.tsx'

/** Creates a project and calls `onMade` with its ID. */
export const NewProject = ({ onMade }: { onMade?: (id: string) => unknown }) => {
  const create = useChange(
    (form: FormData) =>
      client.createProject({ body: { data: { ...detailsIn(form), givenId: textOf(form, 'givenId') } } }),
    ['listProjects'],
    ({ data }) => onMade?.(data.id),
  )
  return (
    <FormModal
      needs="projects:write"
      label="Create project"
      title="Create project"
      submit="Create"
      change={create}
      button={{ size: 'xs' }}
    >
      <NameAndId example="Web shop" />
      <Textarea name="description" label="Description" autosize minRows={2} />
    </FormModal>
  )
}
