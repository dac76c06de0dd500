import { Code, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import type { IdentityProvider } from '@sluice/contract'
import { client } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { useWhole } from '../../api/use-pages.ts'
import { Answer } from '../../ui/answer.tsx'
import { Copyable } from '../../ui/buttons/copyable.tsx'
import { RemoveButton } from '../../ui/buttons/remove-button.tsx'
import { ErrorPanel, errorOf } from '../../ui/error-panel.tsx'
import { Facts } from '../../ui/facts.tsx'
import { FormModal, textOf } from '../../ui/forms/form-modal.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Section } from '../../ui/section.tsx'
import { EditGroups, GroupFields, groupsIn, textOfRoles, textOfTeams } from './group-mapping.tsx'
import { type Named, usePrincipals } from './use-principals.ts'

/** Manages the identity provider; an organization has at most one. */
export const IdentityProviderSection = () => {
  const providers = useWhole('listIdentityProviders', {})
  return (
    <Section title="Identity provider" aside={providers.data?.length === 0 && <NewProvider />}>
      <Answer of={providers}>
        {([provider]) =>
          provider ? (
            <Provider of={provider} />
          ) : (
            <Notice title="No identity provider yet">
              Connect an OpenID Connect provider so that members sign in with their existing accounts.
            </Notice>
          )
        }
      </Answer>
    </Section>
  )
}

const Provider = ({ of: provider }: { of: IdentityProvider }) => {
  const remove = useChange(
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
          'Roles by group': <Lines text={textOfRoles(provider.groupRoles)} />,
          'Teams by group': <Lines text={textOfTeams(provider.groupTeams, teams)} />,
          'Members without a listed group': provider.defaultRole ?? 'Sign-in denied',
        }}
      />
      <Copyable label="Callback URL to register with the provider" value={provider.callbackUrl} />
      <Copyable label="Back-channel logout URL" value={provider.backChannelLogoutUrl} />
      <Group gap="xs">
        <EditGroups of={provider} teams={teams} />
        <RemoveButton needs="organizations:write" label="Delete" name={provider.name} change={remove}>
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
  const create = useChange(
    (form: FormData) => client.createIdentityProvider({ body: { data: givenOf(form, teams) } }),
    ['listIdentityProviders'],
  )
  return (
    <FormModal
      needs="organizations:write"
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

function givenOf(form: FormData, teams: readonly Named[]) {
  const { defaultRole, ...groups } = groupsIn(form, teams)
  return {
    name: textOf(form, 'name'),
    issuer: textOf(form, 'issuer'),
    clientId: textOf(form, 'clientId'),
    clientSecret: textOf(form, 'clientSecret'),
    ...groups,
    ...(defaultRole && { defaultRole }),
  }
}
