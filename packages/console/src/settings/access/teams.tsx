import { Badge, Group, Select, Table, TextInput } from '@mantine/core'
import type { Team } from '@sluice/contract'
import { client } from '../../api/client.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useCompleteList } from '../../api/use-pages.ts'
import { ConfirmButton } from '../../ui/buttons/confirm-button.tsx'
import { RemoveButton } from '../../ui/buttons/remove-button.tsx'
import { AddForm } from '../../ui/forms/add-form.tsx'
import { FormModal, textFieldValue } from '../../ui/forms/form-modal.tsx'
import { Notice } from '../../ui/notice.tsx'
import { ErrorRow } from '../../ui/tables/error-row.tsx'
import { RecordTable } from '../../ui/tables/record-table.tsx'
import type { Principals } from './use-principals.ts'

/** Lists teams with their members. */
export const Teams = ({ principals }: { principals: Principals }) => {
  const teams = useCompleteList('listTeams', {})
  const create = useApiMutation(
    (form: FormData) => client.createTeam({ body: { data: { name: textFieldValue(form, 'name') } } }),
    ['listTeams'],
  )
  const form = (
    <AddForm permission="teams:write" command="createTeam" label="Create team" submit="Create" change={create}>
      <TextInput name="name" label="Name" placeholder="payments" required data-autofocus />
    </AddForm>
  )
  return (
    <RecordTable
      title="Teams"
      of={teams}
      head={['Name', 'Members', '']}
      aside={form}
      none={
        <Notice title="No teams yet">
          Create a team to grant roles to several members and service accounts at once.
        </Notice>
      }
    >
      {(team) => <TeamRow key={team.id} team={team} principals={principals} />}
    </RecordTable>
  )
}

const TeamRow = ({ team: { id, name }, principals }: { team: Team; principals: Principals }) => {
  const inTeam = useCompleteList('listTeamMembers', { teamId: id }).data ?? []
  const add = useApiMutation(
    (form: FormData) =>
      client.createTeamMember({ body: { data: { teamId: id, memberId: textFieldValue(form, 'memberId') } } }),
    ['listTeamMembers'],
  )
  const takeOut = useApiMutation(
    (memberOf: string) => client.deleteTeamMember({ params: { id: memberOf } }),
    ['listTeamMembers'],
  )
  const remove = useApiMutation(() => client.deleteTeam({ params: { id } }), ['listTeams', 'listRoleGrants'])
  const mutationError = takeOut.error ?? remove.error
  const others = principals.members.filter((one) => !inTeam.some(({ memberId }) => memberId === one.id))
  return (
    <>
      <Table.Tr>
        <Table.Td fw={600}>{name}</Table.Td>
        <Table.Td>
          <Group gap="xs">
            {inTeam.map((member) => (
              <Group key={member.id} gap={2}>
                <Badge variant="light" tt="none">
                  {principals.nameOf(member.memberId)}
                  {member.source === 'GROUP' && ' (from a group)'}
                </Badge>
                <ConfirmButton
                  permission="teams:write"
                  variant="subtle"
                  size="compact-xs"
                  label="Remove"
                  ariaLabel={`Remove ${principals.nameOf(member.memberId)} from ${name}`}
                  question={`Remove ${principals.nameOf(member.memberId)} from ${name}?`}
                  onConfirm={() => takeOut.mutate(member.id)}
                >
                  {principals.nameOf(member.memberId)} immediately loses the permissions that come from this team.
                </ConfirmButton>
              </Group>
            ))}
          </Group>
        </Table.Td>
        <Table.Td>
          <Group gap="xs" justify="flex-end" wrap="nowrap">
            <FormModal
              permission="teams:write"
              label="Add member"
              ariaLabel={`Add member to ${name}`}
              title={`Add member to ${name}`}
              submit="Add"
              change={add}
              button={{ size: 'xs', variant: 'default' }}
            >
              <Select
                name="memberId"
                label="Member or service account"
                data={others.map((one) => ({ value: one.id, label: one.name }))}
                searchable
                required
              />
            </FormModal>
            <RemoveButton permission="teams:write" label="Delete" name={name} change={remove}>
              Its members immediately lose the permissions that come from this team.
            </RemoveButton>
          </Group>
        </Table.Td>
      </Table.Tr>
      <ErrorRow error={mutationError} columns={3} />
    </>
  )
}
