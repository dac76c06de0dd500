import { Code, PasswordInput, Select, Stack, Textarea, TextInput } from '@mantine/core'
import { type GroupRole, type IdentityProvider, type Role, roles } from '@sluice/contract'
import { client } from '../api/client.ts'
import { useChange } from '../api/use-change.ts'
import { useWhole } from '../api/use-pages.ts'
import { Answer } from '../ui/answer.tsx'
import { Copyable } from '../ui/copyable.tsx'
import { ErrorPanel, errorOf } from '../ui/error-panel.tsx'
import { Facts } from '../ui/facts.tsx'
import { FormModal, textOf } from '../ui/form-modal.tsx'
import { Notice } from '../ui/notice.tsx'
import { RemoveButton } from '../ui/remove-button.tsx'
import { Section } from '../ui/section.tsx'
import { roleOptions } from './roles.ts'

/** The provider that the organization's people sign in at; one organization has one at most. */
export const IdentityProviderSection = () => {
  const providers = useWhole('listIdentityProviders', {})
  return (
    <Section title="Identity provider" aside={providers.data?.length === 0 && <NewProvider />}>
      <Answer of={providers}>
        {([provider]) =>
          provider ? (
            <Provider of={provider} />
          ) : (
            <Notice title="There is no identity provider">
              With one that speaks OpenID Connect, people sign in where they sign in for everything else.
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
    ['listIdentityProviders'],
  )
  return (
    <Stack>
      {remove.error && <ErrorPanel error={errorOf(remove.error)} />}
      <Facts
        facts={{
          Name: provider.name,
          Issuer: provider.issuer,
          Client: provider.clientId,
          'Claim of the groups': <Code>{provider.groupsClaim}</Code>,
          'Roles by group': provider.groupRoles.map(({ group, role }) => `${group}: ${role}`).join(', ') || 'none',
          'Who is in no such group': provider.defaultRole ?? 'is not let in',
        }}
      />
      <Copyable label="Callback URL, to be registered at the provider" value={provider.callbackUrl} />
      <Copyable label="Back-channel logout URL" value={provider.backChannelLogoutUrl} />
      <div>
        <RemoveButton needs="organizations:write" label="Delete" name={provider.name} change={remove}>
          The sessions that it began end at once. Members stay, and sign in by password if they have one.
        </RemoveButton>
      </div>
    </Stack>
  )
}

const NewProvider = () => {
  const create = useChange(
    (form: FormData) => client.createIdentityProvider({ body: { data: givenOf(form) } }),
    ['listIdentityProviders'],
  )
  return (
    <FormModal
      needs="organizations:write"
      label="Set up"
      title="Identity provider"
      submit="Save"
      change={create}
      button={{ size: 'xs' }}
    >
      <TextInput name="name" label="Name" placeholder="Example ID" required data-autofocus />
      <TextInput name="issuer" label="Issuer" placeholder="https://id.example.com" required />
      <TextInput name="clientId" label="Client id" required />
      <PasswordInput name="clientSecret" label="Client secret" autoComplete="off" required />
      <TextInput name="groupsClaim" label="Claim of the groups" defaultValue="groups" required />
      <Textarea
        name="groupRoles"
        label="Roles by group"
        description="A line for each group, such as platform=ADMIN. They are given anew at each sign-in."
        autosize
        minRows={2}
      />
      <Select
        name="defaultRole"
        label="Who is in no such group"
        data={[{ value: '', label: 'is not let in' }, ...roleOptions]}
        defaultValue=""
        allowDeselect={false}
      />
    </FormModal>
  )
}

function givenOf(form: FormData) {
  const defaultRole = roleNamed(textOf(form, 'defaultRole'))
  return {
    name: textOf(form, 'name'),
    issuer: textOf(form, 'issuer'),
    clientId: textOf(form, 'clientId'),
    clientSecret: textOf(form, 'clientSecret'),
    groupsClaim: textOf(form, 'groupsClaim'),
    groupRoles: textOf(form, 'groupRoles').split('\n').filter(Boolean).map(groupRoleOf),
    ...(defaultRole && { defaultRole }),
  }
}

/** What is no role is for the service to refuse, with its place. */
function groupRoleOf(line: string): GroupRole {
  const at = line.lastIndexOf('=')
  return { group: line.slice(0, at).trim(), role: line.slice(at + 1).trim() as Role }
}

const roleNamed = (name: string): Role | undefined => roles.find((role) => role === name)
