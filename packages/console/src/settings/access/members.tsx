import { Stack, Table, Text } from '@mantine/core'
import type { Membership, Role } from '@sluice/contract'
import { client } from '../../api/client.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useCompleteList } from '../../api/use-pages.ts'
import { usePermission } from '../../api/use-permission.ts'
import { RemoveButton } from '../../ui/buttons/remove-button.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { Section } from '../../ui/section.tsx'
import { DataTable } from '../../ui/tables/data-table.tsx'
import { ErrorRow } from '../../ui/tables/error-row.tsx'
import { TimeAgo } from '../../ui/time.tsx'
import { Invitations } from './invitations.tsx'
import { RoleSelect } from './role-select.tsx'

/** Lists members and invitations. */
export const Members = () => {
  const members = useCompleteList('listMemberships', {})
  const mayInvite = usePermission('invitations:read')
  return (
    <Stack gap="lg">
      <Section title="Members">
        <QueryResult of={members}>
          {(all) => (
            <DataTable label="Members" head={['Name', 'Role', 'Joined', '']}>
              {all.map((member) => (
                <Member key={member.id} member={member} />
              ))}
            </DataTable>
          )}
        </QueryResult>
      </Section>
      {mayInvite.isAllowed && <Invitations />}
    </Stack>
  )
}

const Member = ({ member: { id, email, fullName, role, createdAt } }: { member: Membership }) => {
  const mayChange = usePermission('memberships:write')
  const change = useApiMutation(
    (next: Role) => client.updateMembership({ params: { id }, body: { data: { role: next } } }),
    ['listMemberships', 'whoami'],
  )
  const remove = useApiMutation(() => client.deleteMembership({ params: { id } }), ['listMemberships'])
  const mutationError = change.error ?? remove.error
  return (
    <>
      <Table.Tr>
        <Table.Td>
          <Text size="sm" fw={600}>
            {fullName ?? email}
          </Text>
          {fullName && (
            <Text size="sm" c="dimmed">
              {email}
            </Text>
          )}
        </Table.Td>
        <Table.Td w={170}>
          <RoleSelect of={fullName ?? email} role={role} mayChange={mayChange} change={change} />
        </Table.Td>
        <Table.Td>
          <TimeAgo at={createdAt} />
        </Table.Td>
        <Table.Td ta="end">
          <RemoveButton permission="memberships:write" label="Remove" name={fullName ?? email} change={remove}>
            Sessions and API keys in this organization end immediately. The audit log keeps all past activity.
          </RemoveButton>
        </Table.Td>
      </Table.Tr>
      <ErrorRow error={mutationError} columns={4} />
    </>
  )
}
