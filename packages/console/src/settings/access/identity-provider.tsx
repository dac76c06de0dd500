import { Code, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import type { IdentityProvider } from '@sluice/contract'
import { client } from '../../api/client.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useCompleteList } from '../../api/use-pages.ts'
import { Copyable } from '../../ui/buttons/copyable.tsx'
import { RemoveButton } from '../../ui/buttons/remove-button.tsx'
import { ErrorPanel, errorOf } from '../../ui/error-panel.tsx'
import { Facts } from '../../ui/facts.tsx'
import { FormModal, textFieldValue } from '../../ui/forms/form-modal.tsx'
import { Notice } from '../../ui/notice.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { Section } from '../../ui/section.tsx'
import { EditGroups, formatRoles, formatTeams, GroupFields, groupsFromForm } from './group-mapping.tsx'
import { type NamedPrincipal, usePrincipals } from './use-principals.ts'

/** Manages the identity provider; an organization has at most one. */
export const IdentityProviderSection = () => {
  const providers = useCompleteList('listIdentityProviders', {})
  return (
    <Section title="Identity provider" aside={providers.data?.length === 0 && <NewProvider />}>
      <QueryResult of={providers}>
        {([provider]) =>
          provider ? (
            <Provider of={provider} />
          ) : (
            <Notice title="No identity provider yet">
              Connect an OpenID Connect provider so that members sign in with their existing accounts.
            </Notice>
          )
        }
      </QueryResult>
    </Section>
  )
}

const Provider = ({ of: provider }: { of: IdentityProvider }) => {
  const remove = useApiMutation(
    () => client.deleteIdentityProvider({ params: { id: provider.id } }),
    ['listIdentityProviders', 'listTeamMembers'],
  )
  const { teams } = usePrincipals()
  return (
    <Stack>
      {remove.error && <ErrorPanel error={errorOf(remove.error)} />}
      <Facts
        facts={{
          Name: provider.name,
          Issuer: provider.issuer,
          'Client ID': provider.clientId,
          'Groups claim': <Code>{provider.groupsClaim}</Code>,
          'Roles by group': <Lines text={formatRoles(provider.groupRoles)} />,
          'Teams by group': <Lines text={formatTeams(provider.groupTeams, teams)} />,
          'Members without a listed group': provider.defaultRole ?? 'Sign-in denied',
        }}
      />
      <Copyable label="Callback URL to register with the provider" value={provider.callbackUrl} />
      <Copyable label="Back-channel logout URL" value={provider.backChannelLogoutUrl} />
      <Group gap="xs">
        <EditGroups of={provider} teams={teams} />
        <RemoveButton permission="organizations:write" label="Delete" name={provider.name} change={remove}>
          Sessions that it started end immediately. Members stay, and can sign in with a password if they have one. They
          leave the teams that its groups put them in.
        </RemoveButton>
      </Group>
    </Stack>
  )
}

const Lines = ({ text }: { text: string }) => <Text style={{ whiteSpace: 'pre-line' }}>{text || 'none'}</Text>

const NewProvider = () => {
  const { teams } = usePrincipals()
  const create = useApiMutation(
    (form: FormData) => client.createIdentityProvider({ body: { data: givenOf(form, teams) } }),
    ['listIdentityProviders'],
  )
  return (
    <FormModal
      permission="organizations:write"
      label="Set up identity provider"
      title="Set up identity provider"
      submit="Save"
      change={create}
      button={{ size: 'xs' }}
    >
      <TextInput name="name" label="Name" placeholder="Example ID" required data-autofocus />
      <TextInput name="issuer" label="Issuer" placeholder="https://id.example.com" required />
      <TextInput name="clientId" label="Client ID" required />
      <PasswordInput name="clientSecret" label="Client secret" autoComplete="off" required />
      <GroupFields teams={teams} />
    </FormModal>
  )
}

function givenOf(form: FormData, teams: readonly NamedPrincipal[]) {
  const { defaultRole, ...groups } = groupsFromForm(form, teams)
  return {
    name: textFieldValue(form, 'name'),
    issuer: textFieldValue(form, 'issuer'),
    clientId: textFieldValue(form, 'clientId'),
    clientSecret: textFieldValue(form, 'clientSecret'),
    ...groups,
    ...(defaultRole && { defaultRole }),
  }
}
