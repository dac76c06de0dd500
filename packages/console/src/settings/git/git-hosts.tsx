import { Badge, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { client } from '../../api/client.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useCompleteList } from '../../api/use-pages.ts'
import { Copyable } from '../../ui/buttons/copyable.tsx'
import { PermissionButton } from '../../ui/buttons/permission-button.tsx'
import { RemoveButton } from '../../ui/buttons/remove-button.tsx'
import { ErrorPanel, errorOf } from '../../ui/error-panel.tsx'
import { FormModal, textFieldValue } from '../../ui/forms/form-modal.tsx'
import { Section } from '../../ui/section.tsx'

/** Page that a Git host redirects to. */
const returnUrl = '/console/settings/code-sources'

/** Manages access to Git hosts. */
export const GitHosts = () => {
  const installations = useCompleteList('listGithostaInstallations', {})
  const connections = useCompleteList('listGithostbConnections', {})
  const instances = useCompleteList('listGithostbInstances', {})
  const leave = ({ data }: { data: { url: string } }) => location.assign(data.url)
  const claim = useApiMutation(() => client.claimInstallation({ body: { data: { returnUrl } } }), [], leave)
  const connect = useApiMutation(
    (githostbInstanceId: string | undefined) => {
      const data = { returnUrl, ...(githostbInstanceId !== undefined && { githostbInstanceId }) }
      return client.createGithostbConnection({ body: { data } })
    },
    [],
    leave,
  )
  const register = useApiMutation(
    (form: FormData) => {
      const [baseUrl, clientId, clientSecret] = ['baseUrl', 'clientId', 'clientSecret'].map((name) =>
        textFieldValue(form, name),
      )
      const data = { baseUrl: baseUrl ?? '', clientId: clientId ?? '', clientSecret: clientSecret ?? '' }
      return client.createGithostbInstance({ body: { data } })
    },
    ['listGithostbInstances'],
  )
  const mutationError = claim.error ?? connect.error
  return (
    <Section title="Git host access">
      <Stack gap="sm">
        {mutationError && <ErrorPanel error={errorOf(mutationError)} />}
        {installations.data?.map(({ id, accountName, accessLost }) => (
          <Access
            key={id}
            name={`GitHub App in ${accountName}`}
            isLost={accessLost}
            remove={() => client.deleteGithostaInstallation({ params: { id } })}
          />
        ))}
        {connections.data?.map(({ id, userName, baseUrl, accessLost }) => (
          <Access
            key={id}
            name={`${userName} at ${baseUrl}`}
            isLost={accessLost}
            remove={() => client.deleteGithostbConnection({ params: { id } })}
          />
        ))}
        {instances.data?.map(({ id, baseUrl, callbackUrl }) => (
          <Access
            key={id}
            name={`Application at ${baseUrl}`}
            isLost={false}
            remove={() => client.deleteGithostbInstance({ params: { id } })}
          >
            <Copyable label="Callback URL" value={callbackUrl} />
            <Group>
              <PermissionButton
                permission="code-sources:write"
                size="xs"
                variant="default"
                maw="100%"
                onClick={() => connect.mutate(id)}
              >
                <Text span inherit truncate>
                  Connect to {baseUrl}
                </Text>
              </PermissionButton>
            </Group>
          </Access>
        ))}
        <Group gap="xs">
          <PermissionButton
            permission="code-sources:write"
            size="xs"
            variant="default"
            loading={claim.isPending}
            onClick={() => claim.mutate(undefined)}
          >
            Install the GitHub App
          </PermissionButton>
          <PermissionButton
            permission="code-sources:write"
            size="xs"
            variant="default"
            loading={connect.isPending}
            onClick={() => connect.mutate(undefined)}
          >
            Connect to GitLab
          </PermissionButton>
          <FormModal
            permission="code-sources:write"
            label="Add self-managed GitLab"
            title="Add self-managed GitLab"
            submit="Add"
            change={register}
            button={{ size: 'xs', variant: 'default' }}
          >
            <TextInput name="baseUrl" type="url" label="URL" placeholder="https://git.example.com" required />
            <TextInput
              name="clientId"
              label="Application ID"
              description="From the application that you created in GitLab."
              required
            />
            <PasswordInput name="clientSecret" label="Application secret" autoComplete="off" required />
          </FormModal>
        </Group>
      </Stack>
    </Section>
  )
}

type Props = { name: string; isLost: boolean; remove: () => Promise<unknown>; children?: ReactNode }

const Access = ({ name, isLost, remove, children }: Props) => {
  const forget = useApiMutation(remove, [
    'listGithostaInstallations',
    'listGithostbConnections',
    'listGithostbInstances',
  ])
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Group gap="xs">
          <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Text>
          {isLost && (
            <Badge color="red" variant="light" tt="none">
              Access lost
            </Badge>
          )}
        </Group>
        <RemoveButton permission="code-sources:write" label="Remove" name={name} change={forget}>
          Repositories that use this access can no longer be read.
        </RemoveButton>
      </Group>
      {forget.error && <ErrorPanel error={errorOf(forget.error)} />}
      {children}
    </Stack>
  )
}
