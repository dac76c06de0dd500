import { Select, Textarea } from '@mantine/core'
import { useContext } from 'react'
import { client } from '../api/client.ts'
import { useApiMutation } from '../api/use-api-mutation.ts'
import { useCompleteList } from '../api/use-pages.ts'
import { detailsFromForm } from '../ui/forms/details-form.tsx'
import { FormModal, textFieldValue } from '../ui/forms/form-modal.tsx'
import { FormProblems } from '../ui/forms/form-problems.ts'
import { NameAndId } from '../ui/tables/name-and-id.tsx'

type Props = {
  /** If undefined, the form has a project field. */
  projectId?: string | undefined
  /** Distinguishes several such buttons on a page. */
  ariaLabel?: string
}

/** Creates an environment. */
export const NewEnvironment = ({ projectId, ariaLabel }: Props) => {
  const create = useApiMutation(
    (form: FormData) => {
      const named = { ...detailsFromForm(form), givenId: textFieldValue(form, 'givenId') }
      return client.createEnvironment({
        body: { data: { ...named, projectId: projectId ?? textFieldValue(form, 'projectId') } },
      })
    },
    ['listEnvironments', 'getEnvironmentOrder'],
  )
  return (
    <FormModal
      permission="environments:write"
      command="createEnvironment"
      label="Create environment"
      ariaLabel={ariaLabel}
      title="Create environment"
      outcome="The environment is empty at first. Add services to it next."
      submit="Create"
      change={create}
      button={{ size: 'xs' }}
    >
      {projectId === undefined && <ProjectField />}
      <NameAndId example="Production" />
      <Textarea name="description" label="Description" autosize minRows={2} />
    </FormModal>
  )
}

const ProjectField = () => {
  const projects = useCompleteList('listProjects', {})
  const faults = useContext(FormProblems)
  const [first] = projects.data ?? []
  return (
    <Select
      key={first?.id}
      name="projectId"
      label="Project"
      required
      allowDeselect={false}
      data={projects.data?.map(({ id, name }) => ({ value: id, label: name })) ?? []}
      defaultValue={first?.id ?? null}
      nothingFoundMessage="Create a project first."
      error={faults.projectId}
    />
  )
}
