import { Stack, Table, Text } from '@mantine/core'
import type { Membership, Role } from '@sluice/contract'
import { client } from '../api/client.ts'
import { useChange } from '../api/use-change.ts'
import { useMay } from '../api/use-may.ts'
import { useWhole } from '../api/use-pages.ts'
import { Answer } from '../ui/answer.tsx'
import { ConfirmButton } from '../ui/confirm-button.tsx'
import { DataTable } from '../ui/data-table.tsx'
import { ErrorPanel, errorOf } from '../ui/error-panel.tsx'
import { Section } from '../ui/section.tsx'
import { TimeAgo } from '../ui/time.tsx'
import { Invitations } from './invitations.tsx'
import { RoleSelect } from './role-select.tsx'

/** Who belongs to the organization, and who is asked to. */
export const Members = () => {
  const members = useWhole('listMemberships', {})
  const mayInvite = useMay('invitations:read')
  return (
    <Stack gap="lg">
      <Section title="Members">
        <Answer of={members}>
          {(all) => (
            <DataTable label="Members" head={['Name', 'Role', 'Since', '']}>
              {all.map((member) => (
                <Member key={member.id} member={member} />
              ))}
            </DataTable>
          )}
        </Answer>
      </Section>
      {mayInvite.isAllowed && <Invitations />}
    </Stack>
  )
}

const Member = ({ member: { id, email, fullName, role, createdAt } }: { member: Membership }) => {
  const mayChange = useMay('memberships:write')
  const change = useChange(
    (next: Role) => client.updateMembership({ params: { id }, body: { data: { role: next } } }),
    ['listMemberships', 'whoami'],
  )
  const remove = useChange(() => client.deleteMembership({ params: { id } }), ['listMemberships'])
  const refused = change.error ?? remove.error
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
          <ConfirmButton
            needs="memberships:write"
            variant="subtle"
            color="red"
            size="xs"
            label="Remove"
            ariaLabel={`Remove ${fullName ?? email}`}
            question={`Remove ${fullName ?? email}?`}
            loading={remove.isPending}
            onConfirm={() => remove.mutate(undefined)}
          >
            Sessions and keys in this organization end at once. What was done stays in the audit log.
          </ConfirmButton>
        </Table.Td>
      </Table.Tr>
      {refused && (
        <Table.Tr>
          <Table.Td colSpan={4}>
            <ErrorPanel error={errorOf(refused)} />
          </Table.Td>
        </Table.Tr>
      )}
    </>
  )
}
