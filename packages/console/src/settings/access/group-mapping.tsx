import { Select, Textarea, TextInput } from '@mantine/core'
import { type GroupRole, type GroupTeam, type IdentityProvider, type Role, roles } from '@sluice/contract'
import { client } from '../../api/client.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { FormModal, textFieldValue } from '../../ui/forms/form-modal.tsx'
import { roleOptions } from './roles.ts'
import type { NamedPrincipal } from './use-principals.ts'

/** Edits which roles and teams the provider's groups grant. */
export const EditGroups = ({ of: provider, teams }: { of: IdentityProvider; teams: readonly NamedPrincipal[] }) => {
  const change = useApiMutation(
    (form: FormData) => {
      const { defaultRole = null, ...groups } = groupsFromForm(form, teams)
      return client.updateIdentityProvider({
        params: { id: provider.id },
        body: { data: { ...groups, defaultRole } },
      })
    },
    ['listIdentityProviders', 'listTeamMembers'],
  )
  return (
    <FormModal
      permission="organizations:write"
      label="Edit groups"
      ariaLabel={`Edit groups of ${provider.name}`}
      title={`Group mapping of ${provider.name}`}
      submit="Save"
      change={change}
      button={{ size: 'xs', variant: 'default' }}
    >
      <GroupFields of={provider} teams={teams} />
    </FormModal>
  )
}

type FieldsProps = { of?: IdentityProvider; teams: readonly NamedPrincipal[] }

/** Fields of the groups claim and its mappings. */
export const GroupFields = ({ of: provider, teams }: FieldsProps) => (
  <>
    <TextInput name="groupsClaim" label="Groups claim" defaultValue={provider?.groupsClaim ?? 'groups'} required />
    <Textarea
      name="groupRoles"
      label="Roles by group"
      description="One group per line, such as platform=ADMIN. Roles are updated at each sign-in."
      defaultValue={formatRoles(provider?.groupRoles ?? [])}
      autosize
      minRows={2}
    />
    <Textarea
      name="groupTeams"
      label="Teams by group"
      description="One group per line, such as platform=Platform team. Team membership is updated at each sign-in."
      defaultValue={formatTeams(provider?.groupTeams ?? [], teams)}
      autosize
      minRows={2}
    />
    <Select
      name="defaultRole"
      label="Members without a listed group"
      data={[{ value: '', label: 'Deny sign-in' }, ...roleOptions]}
      defaultValue={provider?.defaultRole ?? ''}
      allowDeselect={false}
    />
  </>
)

export const formatRoles = (given: readonly GroupRole[]): string =>
  given.map(({ group, role }) => `${group}=${role}`).join('\n')

export const formatTeams = (given: readonly GroupTeam[], teams: readonly NamedPrincipal[]): string =>
  given.map(({ group, teamId }) => `${group}=${teams.find(({ id }) => id === teamId)?.name ?? teamId}`).join('\n')

/** Returns the group mapping of a form. The server rejects unknown roles and teams. */
export function groupsFromForm(form: FormData, teams: readonly NamedPrincipal[]) {
  const defaultRole = roles.find((role) => role === textFieldValue(form, 'defaultRole'))
  return {
    groupsClaim: textFieldValue(form, 'groupsClaim'),
    groupRoles: pairsIn(form, 'groupRoles').map(([group, role]): GroupRole => ({ group, role: role as Role })),
    groupTeams: pairsIn(form, 'groupTeams').map(([group, team]): GroupTeam => {
      return { group, teamId: teams.find(({ name }) => name === team)?.id ?? team }
    }),
    ...(defaultRole && { defaultRole }),
  }
}

const pairsIn = (form: FormData, field: string): [string, string][] =>
  textFieldValue(form, field)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const at = line.lastIndexOf('=')
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()]
    })
