import { Select, TextInput } from '@mantine/core'
import type { CreateCodeSource } from '@sluice/contract'
import { useState } from 'react'
import { client } from '../../api/client.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useCompleteList } from '../../api/use-pages.ts'
import { FormModal, textFieldValue } from '../../ui/forms/form-modal.tsx'
import { gitHostNames } from './git-host-names.ts'

type Type = keyof typeof gitHostNames

/** Connects a repository, public or through an existing access. */
export const NewCodeSource = () => {
  const [type, setType] = useState<Type>('GITHOSTA')
  const installations = useCompleteList('listGithostaInstallations', {})
  const connections = useCompleteList('listGithostbConnections', {})
  const create = useApiMutation(
    (form: FormData) => client.createCodeSource({ body: { data: givenOf(form, type) } }),
    ['listCodeSources'],
  )
  const accesses =
    type === 'GITHOSTA'
      ? installations.data?.map((one) => ({
          value: one.githostaInstallationId,
          label: `GitHub App in ${one.accountName}`,
        }))
      : connections.data
          ?.filter((one) => (one.githostbInstanceId !== undefined) === (type === 'GITHOSTB_SELF_HOSTED'))
          .map(({ id, userName, baseUrl }) => ({ value: id, label: `${userName} at ${baseUrl}` }))
  return (
    <FormModal
      permission="code-sources:write"
      command="connectRepository"
      label="Connect repository"
      title="Connect repository"
      outcome="Pipelines can then be started by pushes to the repository."
      submit="Connect"
      change={create}
      button={{ size: 'xs' }}
    >
      <Select
        label="Git host"
        data={Object.entries(gitHostNames).map(([value, label]) => ({ value, label }))}
        value={type}
        allowDeselect={false}
        onChange={(value) => setType(value as Type)}
      />
      <TextInput
        name="repoUrl"
        label="Repository URL"
        description="Clone URL, over HTTPS or SSH."
        placeholder="https://github.com/acme/web"
        required
      />
      <Select
        key={type}
        name="access"
        label="Access"
        data={[{ value: '', label: 'Public repository' }, ...(accesses ?? [])]}
        defaultValue=""
        allowDeselect={false}
      />
    </FormModal>
  )
}

function givenOf(form: FormData, type: Type): CreateCodeSource {
  const repoUrl = textFieldValue(form, 'repoUrl')
  const access = textFieldValue(form, 'access')
  if (type === 'GITHOSTA') {
    return { type, repoUrl, ...(access === '' ? { auth: { kind: 'none' } } : { githostaInstallationId: access }) }
  }
  return { type, repoUrl, ...(access !== '' && { githostbConnectionId: access }) }
}
